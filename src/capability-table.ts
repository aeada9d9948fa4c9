import type { Endpoint } from '../adapters/http/endpoint.ts'
import type { Surface } from '../adapters/http/surface.ts'
import { capabilitiesOf, ROLES, type Role, STORE_KEY_ROLE } from '../domain/account/roles.ts'

/** Who may call what with a key, as a page: every operation that takes one beside the 13 roles of sub-keys (X-CAP-01, N-27). */
export const capabilityTable = (surfaces: readonly Surface[]): string =>
  `${[
    '# Who may call what',
    'Written by `npm run catalogue` from the declarations of the endpoints; not edited by hand.',
    [
      'The owner’s key may do everything. `x`: the role may. `o`: a key of the role custom may when its list says so.',
      `The key of a store may do what the role ${STORE_KEY_ROLE} may, in that store.`,
      'What needs `owner` is the owner’s alone.',
    ].join(' '),
    ...surfaces.flatMap(({ name, endpoints }) => {
      const keyed = endpoints.filter(({ auth }) => auth === 'key')
      return keyed.length === 0 ? [] : [`## ${name}`, table(keyed)]
    }),
  ].join('\n\n')}\n`

const table = (endpoints: readonly Endpoint[]): string => {
  const rows = endpoints.map((e) => row([callOf(e), needOf(e), ...ROLES.map((role) => mark(e, role))]))
  const head = ['Call', 'Needs', ...ROLES]
  return [row(head), row(head.map(() => '---')), ...rows.toSorted()].join('\n')
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

const callOf = ({ method, path, when = {} }: Endpoint): string => {
  const picks = Object.entries(when).map(([name, value]) => (value === true ? name : `${name}=${value}`))
  return `\`${[method.toUpperCase(), path, ...picks].join(' ')}\``
}

const needOf = ({ capability, ownerOnly }: Endpoint): string => `\`${ownerOnly ? 'owner' : capability}\``

const mark = ({ capability, ownerOnly }: Endpoint, role: Role): string => {
  if (ownerOnly || !capability) return ''
  if (role === 'custom') return 'o'
  return capabilitiesOf(role, []).includes(capability) ? 'x' : ''
}
