import { refuse } from '../../domain/kernel/refusal.ts'

/**
 * The header by which a platform says who it is (UCP; a dictionary of RFC 8941): `profile="https://…"`, and once also
 * `version="…"`, as a member of its own or as a parameter of the profile: both are sent.
 */

export type UcpAgent = {
  readonly profile: string | undefined
  /** The version of the protocol, where the header says it. */
  readonly version: string | undefined
}

/** Reads the header; undefined for one of another form. When a name stands twice, the last one counts. */
export const ucpAgentOf = (header: string): UcpAgent | undefined => {
  const text = header.trim()
  if (text.length > HEADER_MAX) return undefined
  const members = new Map<string, string | undefined>()
  const take = reader(text)
  do {
    const [name] = take(NAME) ?? []
    const value = valueIn(take)
    const parameters = parametersIn(take)
    if (name === undefined || value === MALFORMED || parameters === undefined) return undefined
    members.set(name, value)
    if (name === 'profile' && parameters.has('version')) members.set('version', parameters.get('version'))
  } while (take(COMMA))
  return take(END) ? { profile: members.get('profile'), version: members.get('version') } : undefined
}

/** Refuses `protocol-version-unsupported` for a version that came after the newest that is spoken here. */
export const refuseNewer = (version: string | undefined, newest: string): void => {
  if (version !== undefined && version > newest)
    refuse(
      'protocol-version-unsupported',
      `Up to ${newest} is spoken here, not ${version}. Speak that version, or an earlier one.`,
    )
}

const HEADER_MAX = 4_096
const NAME = /[a-z*][a-z0-9_.*-]*/y
const EQUALS = /=/y
const TEXT = /"((?:[ !#-[\]-~]|\\["\\])*)"/y
/** A token, a number or a boolean; none of them is an address. */
const OTHER = /[A-Za-z*][!#$%&'*+.^_`|~:/0-9A-Za-z-]*|-?\d{1,15}(?:\.\d{1,3})?|\?[01]/y
const SEMICOLON = /; */y
const COMMA = /[ \t]*,[ \t]*/y
const END = /$/y

type Take = (pattern: RegExp) => RegExpExecArray | undefined
const MALFORMED = Symbol('malformed')

const reader = (text: string): Take => {
  let at = 0
  return (pattern) => {
    pattern.lastIndex = at
    const found = pattern.exec(text) ?? undefined
    at += found?.[0].length ?? 0
    return found
  }
}

/** The text of a value; undefined for a value that is no text, or where there is none. */
const valueIn = (take: Take): string | undefined | typeof MALFORMED => {
  if (!take(EQUALS)) return undefined
  const text = take(TEXT)
  if (text) return text[1]?.replace(/\\(["\\])/g, '$1')
  return take(OTHER) ? undefined : MALFORMED
}

/** The parameters of a member; undefined where they are malformed. */
const parametersIn = (take: Take): ReadonlyMap<string, string | undefined> | undefined => {
  const found = new Map<string, string | undefined>()
  while (take(SEMICOLON)) {
    const [name] = take(NAME) ?? []
    const value = valueIn(take)
    if (name === undefined || value === MALFORMED) return undefined
    found.set(name, value)
  }
  return found
}
