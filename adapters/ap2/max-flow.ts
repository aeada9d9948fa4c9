/** How much can flow through a net of edges with bounds: the shortest way with room first (Edmonds and Karp). */

/** Node 0 is the source, the last one the sink. */
export type Net = readonly (readonly number[])[]

/** `net[from][to]` is what may flow along that edge; 0 where there is none. */
export const maxFlow = (net: Net): number => {
  const room = net.map((row) => [...row])
  let total = 0
  for (let way = shortestWay(room); way !== undefined; way = shortestWay(room)) {
    const flow = Math.min(...way.map(([from, to]) => room[from]?.[to] ?? 0))
    for (const [from, to] of way) {
      add(room, from, to, -flow)
      add(room, to, from, flow)
    }
    total += flow
  }
  return total
}

/** The edges from the source to the sink, each with room; undefined when there is no such way. */
const shortestWay = (room: readonly (readonly number[])[]): readonly (readonly [number, number])[] | undefined => {
  const sink = room.length - 1
  const cameFrom = new Map<number, number>([[0, 0]])
  for (const node of cameFrom.keys()) {
    if (node === sink) break
    for (const [to, left] of (room[node] ?? []).entries()) if (left > 0 && !cameFrom.has(to)) cameFrom.set(to, node)
  }
  if (!cameFrom.has(sink)) return undefined
  const way: [number, number][] = []
  for (let to = sink; to !== 0; ) {
    const from = cameFrom.get(to) ?? 0
    way.push([from, to])
    to = from
  }
  return way
}

const add = (room: number[][], from: number, to: number, by: number): void => {
  const row = room[from]
  if (row) row[to] = (row[to] ?? 0) + by
}
