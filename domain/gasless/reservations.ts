/** Amounts that are kept back for payments under way, keyed by the id of the authorization; each ends by itself. */
export type Reservations<R extends { readonly until: string }> = { readonly [authorizationId: string]: R }

export const withReservation = <R extends { readonly until: string }>(
  reserved: Reservations<R>,
  authorizationId: string,
  reservation: R,
  max: number,
): Reservations<R> => {
  const all = Object.entries(reserved)
  // The reservations that end first make room.
  const kept = all.length < max ? all : all.toSorted(([, a], [, b]) => (a.until < b.until ? -1 : 1)).slice(1 - max)
  return { ...Object.fromEntries(kept), [authorizationId]: reservation }
}

export const withoutReservation = <R extends { readonly until: string }>(
  reserved: Reservations<R>,
  authorizationId: string,
): Reservations<R> => {
  const { [authorizationId]: _, ...rest } = reserved
  return rest
}

/** The reservations that have not ended. */
export const underWay = <R extends { readonly until: string }>(reserved: Reservations<R>, now: string): readonly R[] =>
  Object.values(reserved).filter(({ until }) => until > now)

/** When the first of them ends. */
export const soonest = (reservations: readonly { readonly until: string }[]): string =>
  reservations.map(({ until }) => until).reduce((a, b) => (a < b ? a : b))
