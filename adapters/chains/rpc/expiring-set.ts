/**
 * Names that leave by themselves: each stays until the latest time it was added with. What a name costs does not depend
 * on how many there are.
 */
export type ExpiringSet = {
  /** The names in the set; later changes show here too. */
  readonly names: ReadonlySet<string>
  /** `until` in milliseconds; it is rounded up to a minute. */
  add(name: string, until: number): void
  /** Removes the names whose time has come. */
  expire(now: number): void
}

const MINUTE_MS = 60_000

/** A million names of 42 characters take some 150 MB. */
export const createExpiringSet = (): ExpiringSet => {
  const names = new Set<string>()
  /** The minute in which a name may go. */
  const untils = new Map<string, number>()
  /** Names, keyed by the minute in which they are looked at again; each name stands here once. */
  const due = new Map<number, string[]>()
  let looked = Number.NEGATIVE_INFINITY

  const lookAgain = (name: string, minute: number) => {
    const list = due.get(minute)
    if (list) list.push(name)
    else due.set(minute, [name])
  }
  return {
    names,
    add(name, until) {
      const minute = Math.ceil(until / MINUTE_MS)
      const known = untils.get(name)
      if (known !== undefined && known >= minute) return
      untils.set(name, minute)
      if (known !== undefined) return
      names.add(name)
      lookAgain(name, minute)
    },
    expire(now) {
      const minute = Math.floor(now / MINUTE_MS)
      if (minute === looked) return
      looked = minute
      for (const [when, list] of due) {
        if (when > minute) continue
        due.delete(when)
        for (const name of list) {
          const until = untils.get(name) ?? 0
          if (until > minute) lookAgain(name, until)
          else if (untils.delete(name)) names.delete(name)
        }
      }
    },
  }
}
