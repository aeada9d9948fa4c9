import { type Endpoint, picksOf } from '../../adapters/http/core/endpoint.ts'
import type { Surface } from '../../adapters/http/core/surface.ts'
import { capabilitiesOf, ROLES, type Role, STORE_KEY_ROLE } from '../../domain/account/roles.ts'

/**
 * A page on who may call what: every operation that takes a key, and every page of the dashboard, beside the 13 roles
 * (X-CAP-01, N-27, N-82).
 */
export const capabilityTable = (surfaces: readonly Surface[]): string =>
  `${[
    '# Who may call what',
    'Written by `npm run catalogue` from the declarations of the endpoints; not edited by hand.',
    [
      'The owner’s key may do everything. `x`: the role may. `o`: a key of the role custom may when its list says so.',
      `The key of a store may do what the role ${STORE_KEY_ROLE} may, in that store.`,
      'What needs `owner` is the owner’s alone; what needs `nothing` is public, and takes a key too.',
      'Reach `account`: a key that is limited to stores is refused, whatever its role.',
      'Reach `store`: such a key may, and meets what is of its stores alone.',
      'Sandbox `sk`: a secret sandbox key (`sk_test_…`) may; `sk, pk`: a publishable one (`pk_test_…`) may, too.',
      'Both make and meet test records alone.',
    ].join(' '),
    ...surfaces.flatMap(({ name, endpoints }) => {
      const keyed = endpoints.filter(({ auth }) => auth === 'key' || auth === 'offered' || auth === 'member')
      return keyed.length === 0 ? [] : [`## ${name}`, table(keyed)]
    }),
  ].join('\n\n')}\n`

const table = (endpoints: readonly Endpoint[]): string => {
  const rows = endpoints.map((e) =>
    row([callOf(e), needOf(e), e.reach ?? '', sandboxOf(e), ...ROLES.map((role) => mark(e, role))]),
  )
  const head = ['Call', 'Needs', 'Reach', 'Sandbox', ...ROLES]
  return [row(head), row(head.map(() => '---')), ...rows.toSorted()].join('\n')
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

const callOf = (e: Endpoint): string => `\`${[e.method.toUpperCase(), e.path, ...picksOf(e)].join(' ')}\``

const needOf = ({ callers: { capability, ownerOnly } = {} }: Endpoint): string =>
  `\`${ownerOnly ? 'owner' : (capability ?? 'nothing')}\``

const sandboxOf = ({ callers: { sandbox } = {} }: Endpoint): string =>
  sandbox === undefined ? '' : sandbox === 'secret' ? 'sk' : 'sk, pk'

const mark = ({ callers: { capability, ownerOnly } = {} }: Endpoint, role: Role): string => {
  if (ownerOnly) return ''
  if (!capability) return 'x'
  if (role === 'custom') return 'o'
  return capabilitiesOf(role, []).includes(capability) ? 'x' : ''
}
