// Which links a crawl follows. Pure, so that it is tested without a browser.

/**
 * The addresses of the same origin among `links`, absolute, without fragments, each once, in their order.
 * What a server computes from a query is another page; a fragment is not.
 *
 * @param {string[]} links  `href`s as written or absolute
 * @param {string} page  the address they stand on
 * @returns {string[]}
 */
export function sameOriginLinks(links, page) {
  const base = new URL(page);
  /** @type {Set<string>} */
  const found = new Set();
  for (const link of links) {
    const url = URL.canParse(link, base) ? new URL(link, base) : undefined;
    if (url === undefined || url.origin !== base.origin || !url.protocol.startsWith("http")) continue;
    url.hash = "";
    found.add(url.href);
  }
  return [...found];
}

/**
 * The shape of an address: ids and the values of a query are replaced, so that a hundred runs, or a thousand boxes of
 * a flame graph that each link to their own zoom, count as one kind of page.
 *
 * @param {string} address
 * @returns {string}
 */
export function shapeOf(address) {
  const url = new URL(address);
  const path = url.pathname.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/gi, "{id}").replaceAll(/\/\d+(?=\/|$)/g, "/{n}");
  const names = [...new Set(url.searchParams.keys())].sort();
  return names.length === 0 ? path : `${path}?${names.join("&")}`;
}
