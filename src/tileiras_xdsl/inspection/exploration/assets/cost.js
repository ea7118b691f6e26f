// What lines cost: clocks of a unit each time, how often, bytes. Static, not measured.

let isCostShown = false;
const COST_COLUMNS = 13; // characters of code that the column takes

function makeCost(document, line) {
  if (!isCostShown || !document.costs) return [];
  const cost = document.costs[line];
  if (!cost?.length) return [make("span", "cost")];
  const [clocks, times, bytes, waits, unit] = cost;
  const span = make("span", "cost", {
    textContent: `${formatCount(Math.max(clocks, waits))}${times === 1 ? "" : ` ×${formatCount(times)}`}`,
    title: [
      `${clocks.toLocaleString("en")} clocks of ${unit} each time`,
      `${times.toLocaleString("en")} times`,
      bytes ? `${bytes.toLocaleString("en")} bytes` : "",
      waits ? `waits ${waits.toLocaleString("en")} clocks` : "",
      "static estimate, not measured",
    ]
      .filter(Boolean)
      .join(", "),
  });
  span.style.setProperty("--part", `${(100 * clocks * times) / mostCost(document)}%`);
  span.classList.toggle("waits", waits > clocks);
  return [span];
}

const formatCount = (number) =>
  number >= 10000 ? `${(number / 1000).toFixed(0)}k` : number >= 10 ? number.toFixed(0) : `${Number(number.toFixed(1))}`;

function mostCost(document) {
  document.mostCost ??= document.costs.reduce((most, cost) => (cost.length ? Math.max(most, cost[0] * cost[1]) : most), 1e-9);
  return document.mostCost;
}

function prepareCost() {
  const button = find("#cost-button");
  button.hidden = !documents.some((each) => each.costs);
  button.onclick = () => {
    isCostShown = !isCostShown;
    button.setAttribute("aria-pressed", isCostShown);
    for (const pane of panes) pane.list.refresh();
  };
}
