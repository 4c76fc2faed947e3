/* Tells the server where a chart's own slider was let go, which moves the chart without the server; see page.js. */
export default ({ data, parentElement, setTriggerValue }) => {
  parentElement.dpbiSlider?.abort();
  parentElement.dpbiSlider = new AbortController();
  const hear = ({ target, detail }) => {
    if (target.closest(`.st-key-chart--${data}`)) setTriggerValue("place", detail);
  };
  document.addEventListener("dpbi-slider", hear, { signal: parentElement.dpbiSlider.signal });
  return () => parentElement.dpbiSlider.abort();
};
