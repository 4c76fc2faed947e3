def bounds_by_programme(a,n,e): return None,None,""
