import { fileSetting, type Setting } from './table.ts'

/** What may be shown of a setting's value, and of where it comes from. */

/** A text without the users and passwords in its URLs. */
export const withoutLogins = (text: string): string => text.replace(/(\b[a-z][a-z0-9+.-]*:\/\/)\S*@/gi, '$1…@')

/**
 * A value for people: of one that may hold a secret its length, and of a URL also its host. What stands before the host
 * or behind it may be a password or a key.
 */
export const shownValue = ({ secret }: Setting, value: string): string => {
  if (!secret) return withoutLogins(value)
  const length = `set, ${value.length} characters`
  const places = value.split(NEXT_URL).map(placeIn)
  return places.every((place) => place !== undefined) ? `${places.join(', ')} (${length})` : length
}

/** A comma may also stand in a password, so that a list is parted only where another URL begins. */
const NEXT_URL = /,\s*(?=[a-z][a-z0-9+.-]*:\/\/)/i

const placeIn = (text: string): string | undefined => {
  const [, scheme, login = '', hosts, rest = ''] =
    /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*@)?([^/?#@]+)(.*)$/i.exec(text) ?? []
  // An @ behind the host is one that stands in a password that was not encoded: the host is not where it seems to be.
  if (!scheme || !hosts || rest.includes('@')) return undefined
  return `${scheme}${login && '…@'}${hosts}${/^\/?$/.test(rest) ? '' : '/…'}`
}

/** The place that a value comes from. */
export type SettingSource =
  | { readonly from: 'environment' | '.env' | 'default' }
  | { readonly from: 'file'; readonly file: string }

export const sourceText = (name: string, source: SettingSource): string =>
  source.from === 'file' ? `${fileSetting(name)}, ${source.file}` : source.from
