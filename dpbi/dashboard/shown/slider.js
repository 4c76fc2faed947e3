/* Tells the server where a chart's own slider was let go: it moves the chart without the server. */
export default ({ data, setTriggerValue }) => {
  let waits;
  const told = ({ slider }) => setTriggerValue("place", slider.active);
  const listen = () => {
    const graph = document.querySelector(`.st-key-chart--${data} .js-plotly-plot`);
    if (!graph?.on) waits = setTimeout(listen, 100);
    else if (!graph.dpbiSlider) {
      graph.on("plotly_sliderend", (event) => graph.dpbiSlider(event));
      graph.dpbiSlider = told;
    } else graph.dpbiSlider = told;
  };
  listen();
  return () => clearTimeout(waits);
};
