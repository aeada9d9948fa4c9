/**
 * oidc-provider with one confidential app that signs a user in without asking; argument: where it keeps its sessions,
 * codes and tokens, `memory` or the URL of a PostgreSQL.
 */
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type Adapter, type AdapterPayload, type Configuration } from 'oidc-provider'
import postgres from 'postgres'
import { CLIENT, REDIRECT_URI, SECRET } from '../sign-ins.ts'

const [where = 'memory'] = process.argv.slice(2)
const SUB = 'usr_bench'

type Entries = {
  put(id: string, payload: AdapterPayload, expiresIn: number | undefined): Promise<void>
  get(id: string): Promise<AdapterPayload | undefined>
  byUid(uid: string): Promise<AdapterPayload | undefined>
  /** Marks it as used. */
  use(id: string): Promise<void>
  drop(id: string): Promise<void>
}

const inMemory = (): Entries => {
  const kept = new Map<string, AdapterPayload>()
  return {
    put: async (id, payload) => void kept.set(id, payload),
    get: async (id) => kept.get(id),
    byUid: async (uid) => [...kept.values()].find((payload) => payload.uid === uid),
    use: async (id) => {
      const payload = kept.get(id)
      if (payload) payload.consumed = Math.floor(Date.now() / 1000)
    },
    drop: async (id) => void kept.delete(id),
  }
}

/** Keeps the entries in one table, as the adapters that its users have collected do. */
const inPostgres = async (url: string): Promise<Entries> => {
  const sql = postgres(url, { max: 10, fetch_types: false })
  await sql`create table entries (id text primary key, uid text, payload jsonb not null, expires_at timestamptz)`
  await sql`create index on entries (uid)`
  const read = (rows: readonly { payload: AdapterPayload }[]) => rows[0]?.payload
  return {
    put: async (id, payload, expiresIn = 86_400) => {
      const json = JSON.stringify(payload)
      await sql`
        insert into entries values (${id}, ${payload.uid ?? null}, ${json}::text::jsonb, now() + ${expiresIn} * interval '1 second')
        on conflict (id) do update set payload = excluded.payload, uid = excluded.uid, expires_at = excluded.expires_at`
    },
    get: async (id) => read(await sql<{ payload: AdapterPayload }[]>`select payload from entries where id = ${id}`),
    byUid: async (uid) =>
      read(await sql<{ payload: AdapterPayload }[]>`select payload from entries where uid = ${uid}`),
    use: async (id) => {
      await sql`
        update entries set payload = jsonb_set(payload, '{consumed}', to_jsonb(extract(epoch from now())::bigint)) where id = ${id}`
    },
    drop: async (id) => {
      await sql`delete from entries where id = ${id}`
    },
  }
}

const entries = where === 'memory' ? inMemory() : await inPostgres(where)

class Rows implements Adapter {
  readonly #kind: string
  constructor(kind: string) {
    this.#kind = kind
  }
  upsert = (id: string, payload: AdapterPayload, expiresIn: number) => entries.put(this.#id(id), payload, expiresIn)
  find = (id: string) => entries.get(this.#id(id))
  findByUid = (uid: string) => entries.byUid(uid)
  findByUserCode = async () => undefined
  consume = (id: string) => entries.use(this.#id(id))
  destroy = (id: string) => entries.drop(this.#id(id))
  revokeByGrantId = async () => {}
  #id(id: string) {
    return `${this.#kind}:${id}`
  }
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const server = createServer()
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const configuration: Configuration = {
  adapter: Rows,
  clients: [
    {
      client_id: CLIENT,
      client_secret: SECRET,
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: 'client_secret_post',
    },
  ],
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'one' }] } as never,
  cookies: { keys: ['a key of the cookies'] },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  issueRefreshToken: () => false,
  pkce: { required: () => true },
  ttl: { AccessToken: 3_600, AuthorizationCode: 120, IdToken: 600, Grant: 86_400, Session: 86_400, Interaction: 3_600 },
  // A session that was allowed something once is not asked again, and one grant serves all of its codes.
  async loadExistingGrant({ oidc }) {
    const known = oidc.session?.grantIdFor(CLIENT)
    if (known) return oidc.provider.Grant.find(known)
    const grant = new oidc.provider.Grant({ clientId: CLIENT, accountId: oidc.session?.accountId ?? SUB })
    grant.addOIDCScope('openid')
    await grant.save()
    return grant
  },
}

const provider = new Provider(url, configuration)
const answer = provider.callback()
server.on('request', (request, response) => {
  if (request.url?.startsWith('/interaction/'))
    return void provider.interactionFinished(request, response, { login: { accountId: SUB } })
  answer(request, response)
})
process.stdout.write(`${JSON.stringify({ url })}\n`)
