/* What Streamlit leaves to a page of the app. The listeners outlive the page that brought them: they are put up once.
   A page calls one of the functions by window.dpbi.push([name, ...arguments]), before this script has come or after. */
if (!window.dpbi?.ready) {
  const PANE = '[data-testid="stMain"]';
  const FOLDING = '[data-collapsed="false"] [data-testid="stSidebarCollapseButton"] button';
  const CAMERA = '[data-title^="Download plot"]';
  const places = {};
  let talking = false;
  let look = {};

  const chord = (event) => event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;

  /* Pages scroll in a pane, which keys move only once it was clicked: a talk begins without a click. */
  document.addEventListener("keydown", (event) => {
    const pane = document.querySelector(PANE);
    const screen = 0.9 * innerHeight;
    const ways = { ArrowDown: 60, ArrowUp: -60, PageDown: screen, PageUp: -screen, " ": screen, Home: -1e7, End: 1e7 };
    const way = ways[event.key];
    if (!way || !pane || chord(event) || !event.isTrusted || event.target !== document.body) return;
    event.preventDefault();
    pane.scrollBy(0, way);
  });

  /* The tour goes by its buttons. What is pressed while a scene is on its way waits for that scene's buttons, else three
     quick presses would go one scene on; a scene that does not come is waited for ten seconds. */
  const TOUR = ".st-key-tour-steps";
  const STEPS = { PageUp: "Back", ArrowLeft: "Back", PageDown: "Next", ArrowRight: "Next", Home: "First", End: "Last" };
  let waiting = [];
  let onItsWay = 0;
  const step = (name) => {
    const button = document.querySelector(`.st-key-tour--${name} button`);
    if (onItsWay) waiting.push(name);
    else if (button && !button.disabled) {
      leave();
      button.click();
    }
  };
  const leave = () => {
    hurry();
    onItsWay = setTimeout(arrived, 10_000);
  };
  const arrived = () => {
    clearTimeout(onItsWay);
    onItsWay = 0;
    while (waiting.length && !onItsWay) step(waiting.shift());
  };

  /* What the space bar does there: what the scene asks for, and nothing else. */
  const act = () => {
    const asked = document.querySelector('.st-key-act button[kind="primary"]');
    if (asked && !asked.disabled && asked.closest("[data-stale]")?.dataset.stale !== "true") asked.click();
  };

  /* A clicker sends page keys, and the arrows mean nothing on a switch. Space presses what has the focus, if anything
     has; so do not up and down, which move the scene's slider. A key that is held moves on through one scene only. */
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (!event.isTrusted || chord(event) || !document.querySelector(TOUR)) return;
    if (target.closest?.("input:not([type=checkbox]), textarea, [role=dialog], [role=menu]")) return;
    const free = target === document.body || target.matches?.("main, section");
    const move = { ArrowUp: 1, ArrowDown: -1 }[key];
    if (STEPS[key]) event.repeat || step(STEPS[key]);
    else if (key === " " && free) event.repeat || act();
    else if (!move || !slider() || target.matches?.("input")) return;
    else nudge(slider(), move);
    event.preventDefault();
    event.stopPropagation();
  }, true);
  const MOVES = { "More-noise": -1, "Less-noise": 1 };
  const named = (keyed) => keyed?.className.match(/--(\S+)/)[1];
  document.addEventListener("click", (event) => {
    const button = event.isTrusted && event.target.closest?.(`:is(${TOUR}, .st-key-act, .st-key-clouds-keys) button`);
    if (!button) return;
    if (event.detail) button.blur(); // by a pointer: the space bar would press it, on the next scene too
    const to = named(button.closest('[class*="st-key-tour--"]'));
    const move = MOVES[named(button.closest('[class*="st-key-clouds--"]'))];
    const steps = Object.values(STEPS).includes(to);
    if (steps && !onItsWay) return leave(); // by this very press
    if (steps) waiting.push(to);
    else if (move && slider()) nudge(slider(), move);
    else return;
    event.stopPropagation();
  }, true);

  /* A chart's own slider: plotly hears the pointer over the chart alone, and no keys. Where it was let go is told to
     whoever listens for dpbi-slider, by the name of its frame. */
  const slider = () => document.querySelector(".js-plotly-plot:has(.slider-container)");
  const active = (graph) => graph.layout.sliders[0].active;
  const over = (graph, kind, at = {}) => graph.dispatchEvent(new MouseEvent(kind, { ...at, bubbles: true }));
  /* Which chart was moved last, to which place and frame, and when: the server draws it as a new graph, and may draw an
     earlier place meanwhile. */
  let moved = {};
  let resting; // until it is told
  const move = (graph, place, rest) => {
    const of = graph.closest('[class*="st-key-chart-"]').className.match(/st-key-chart-\S+/)[0];
    moved = { of, place, frame: graph.layout.sliders[0].steps[place].args[0][0], at: Date.now() };
    clearTimeout(resting);
    resting = setTimeout(hurry, rest);
  };
  const hurry = () => {
    clearTimeout(resting);
    const told = new CustomEvent("dpbi-slider", { detail: moved.frame, bubbles: true });
    if (resting) document.querySelector(`.${moved.of}`)?.dispatchEvent(told);
    resting = 0;
  };
  const placed = (graph) =>
    Date.now() - moved.at < 3000 && graph.closest(`.${moved.of}`) ? moved.place : active(graph);
  const nudge = (graph, by) => {
    const rail = graph.querySelector(".slider-rail-touch-rect");
    const { left, top, width } = rail.getBoundingClientRect();
    const last = graph.layout.sliders[0].steps.length - 1;
    const there = Math.min(Math.max(placed(graph) + by, 0), last);
    const inset = 10 / rail.getAttribute("width"); // plotly's, at both ends
    over(rail, "mousedown", { clientX: left + width * (inset + ((1 - 2 * inset) * there) / last), clientY: top });
    over(graph, "mouseup");
    move(graph, there, 400);
  };
  addEventListener("pagehide", hurry);
  let held;
  addEventListener("pointerdown", (event) => {
    hurry();
    const graph = event.target.closest?.(".slider-container")?.closest(".js-plotly-plot");
    held = graph && { graph, from: active(graph) };
    if (held) event.target.setPointerCapture(event.pointerId);
  }, true);
  for (const kind of ["pointerup", "pointercancel"]) {
    addEventListener(kind, (event) => {
      const { graph, from } = held ?? {};
      held = null;
      if (!graph?.isConnected) return; // or drawn anew under the hand
      if (kind === "pointercancel") over(graph, event.pointerType === "touch" ? "touchend" : "mouseup");
      if (active(graph) !== from) move(graph, active(graph), 0);
    }, true);
  }

  /* A formula that scrolls must be reached by the keyboard; it is drawn after the page, and wide by the window's measure
     and its own letters, which are read last. Up to 4 pixels of a last letter may lean out of its box. */
  const reach = () => {
    for (const formula of document.querySelectorAll(".katex-display")) {
      formula.tabIndex = formula.scrollWidth > formula.offsetWidth + 4 ? 0 : -1;
    }
  };

  /* In talk mode a chart takes what is left of the window below it; one that begins low, a window of its own. */
  const fill = () => {
    const pane = document.querySelector(PANE);
    for (const chart of talking && pane ? pane.querySelectorAll('[class*="st-key-chart--"]') : []) {
      const above = chart.getBoundingClientRect().top + pane.scrollTop;
      const left = above < 0.5 * innerHeight ? `${Math.floor(innerHeight - above - 6)}px` : "";
      if (chart.style.getPropertyValue("--left") !== left) chart.style.setProperty("--left", left);
    }
  };
  let settling = 0;
  const settle = () => {
    if (settling) return;
    settling = requestAnimationFrame(() => {
      settling = 0;
      reach();
      fill();
    });
  };
  new MutationObserver(settle).observe(document.body, { childList: true, subtree: true });
  addEventListener("resize", settle);
  document.fonts.addEventListener("loadingdone", settle);

  /* On a telephone the menu lies over the page that is chosen in it. */
  document.addEventListener("click", (event) => {
    const chosen = event.target.closest?.('[data-testid="stSidebar"] [data-testid="stPageLink"] a');
    if (chosen && innerWidth < 768) document.querySelector(FOLDING)?.click();
  });

  /* The page's plotly is out of reach, but for the mode bar's camera, which reads all it needs of the graph at once when
     it is pressed: it is pressed on a graph that is light, opaque and of a slide's size for that moment. A press of the
     camera by hand, in full screen too, comes to the same. No button's press reaches the server. */
  const take = (graph, format) => {
    const { layout, size } = pictured(graph, look);
    const kept = [graph.layout, graph._context.toImageButtonOptions];
    graph.layout = layout;
    graph._context.toImageButtonOptions = { ...kept[1], format, ...size };
    try {
      graph.querySelector(CAMERA).click();
    } finally {
      [graph.layout, graph._context.toImageButtonOptions] = kept;
    }
  };
  document.addEventListener("click", (event) => {
    const camera = event.isTrusted && event.target.closest?.(CAMERA);
    const button = event.target.closest?.("button")?.closest('[class*="st-key-picture-"]');
    if (!camera && !button) return;
    event.stopPropagation();
    if (camera) return take(camera.closest(".js-plotly-plot"), "svg");
    const [, format, name] = button.className.match(/st-key-picture-(\w+)--(\S+)/);
    const graph = document.querySelector(`.st-key-chart--${name} .js-plotly-plot`);
    if (graph) take(graph, format);
  }, true);

  /* Does it once what is sought is drawn, and for a second more: the page comes in pieces, and what stands above a part
     may come after it. */
  const seek = (find, then, rest = 300) => {
    const there = find();
    if (there) then(there);
    if (rest) setTimeout(seek, 100, find, then, there ? Math.min(rest, 10) - 1 : rest - 1);
  };

  const functions = {
    /* As dpbi/figures/picture.py has it. */
    pictures(given) {
      look = given;
    },

    /* Talk mode begins with the sidebar folded, also where the browser remembers that it was unfolded by hand: that
       stays remembered, for the pages without talk mode. */
    talk(on) {
      const began = on && !talking;
      talking = on;
      if (!on) document.getElementById("talk")?.remove(); // the sheet of the address that was opened
      settle();
      const kept = Object.keys(localStorage).find((key) => key.startsWith("stSidebarCollapsed"));
      if (!began || localStorage[kept] !== "false") return;
      (function fold(rest) {
        const button = document.querySelector(FOLDING);
        button?.click();
        if (button) setTimeout(() => localStorage.setItem(kept, "false"), 500);
        else if (rest) setTimeout(fold, 100, rest - 1);
      })(50);
    },

    /* Opens a page, or a part that takes the place of another, at its top, where Streamlit leaves the pane as far down as
       it was; or at the part that its address names, once that is drawn. of: what it is, name: which. */
    toTheTop(of, name) {
      if (places[of] !== name) {
        document.querySelector(PANE)?.scrollTo(0, 0);
        seek(() => document.getElementById(location.hash.slice(1)), (part) => part.scrollIntoView());
      }
      if (of === "Page") waiting = [];
      places[of] = name;
    },

    /* The buttons of this scene are there. */
    sceneIs() {
      arrived();
    },

    /* Brings the container of a key into sight, once what is sought in it is drawn, and no further down than it must. */
    intoSight(key, drawn) {
      const part = () => document.querySelector(`.st-key-${key}`);
      seek(() => part()?.querySelector(drawn), () => {
        document.querySelector(PANE).scrollTo(0, 0);
        part().scrollIntoView({ block: "nearest" });
      });
    },

    /* Writes the page's address, without a step of the browser's history. */
    address(query) {
      history.replaceState(history.state, "", location.pathname + query + location.hash);
    },

    askBeforeLeaving(ask) {
      window.onbeforeunload = ask ? (event) => { event.preventDefault(); event.returnValue = true; } : null;
    },
  };

  const push = ([name, ...given]) => functions[name](...given);
  const early = window.dpbi ?? [];
  window.dpbi = { ready: true, push };
  early.forEach(push);
}
