"""The papers this library answers to: their statements checked, their figures computed exactly."""
