/* Tells the server how large talk mode is on this screen, which the sheet alone knows, where it thinks otherwise. */
export default ({ data, parentElement, setStateValue }) => {
  parentElement.dpbiScreen?.abort();
  parentElement.dpbiScreen = new AbortController();
  const look = () => {
    const times = Number(getComputedStyle(document.documentElement).getPropertyValue("--screen")) || 1;
    if (times !== data) setStateValue("times", times);
  };
  addEventListener("resize", look, { signal: parentElement.dpbiScreen.signal });
  look();
  return () => parentElement.dpbiScreen.abort();
};
