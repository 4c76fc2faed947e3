/* Tells the server how large talk mode is on this screen, which the sheet alone knows, where it thinks otherwise. The
   sheet may come after this script. */
export default ({ data, parentElement, setStateValue }) => {
  parentElement.dpbiScreen?.abort();
  parentElement.dpbiScreen = new AbortController();
  const { signal } = parentElement.dpbiScreen;
  const look = () => {
    if (signal.aborted) return;
    const times = Number(getComputedStyle(document.documentElement).getPropertyValue("--screen"));
    if (!times) setTimeout(look, 50);
    else if (times !== data) setStateValue("times", times);
  };
  addEventListener("resize", look, { signal });
  look();
  return () => parentElement.dpbiScreen.abort();
};
