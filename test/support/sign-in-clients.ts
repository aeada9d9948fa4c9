import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../src/demo/port.ts'
import { eventually } from '../../src/demo/stage.ts'
import { installed, provideAll } from './debian.ts'

/**
 * Apps that let people sign in by the clients of others: those of npm from `test/clients`, and Debian's Authlib and
 * Apache with mod_auth_openidc. They listen on this machine alone.
 */

const FOLDER = fileURLToPath(new URL('../clients/', import.meta.url))
const AUTHLIB = '/usr/lib/python3/dist-packages/authlib/__init__.py'
const REQUESTS = '/usr/lib/python3/dist-packages/requests/__init__.py'
const APACHE = '/usr/sbin/apache2'
const MODULES = '/usr/lib/apache2/modules'
/** Debian's own Python, which finds Debian's Authlib. */
const PYTHON = '/usr/bin/python3'
const START_MS = 60_000

const PACKAGES = {
  'python3-authlib': AUTHLIB,
  'python3-requests': REQUESTS,
  apache2: APACHE,
  'libapache2-mod-auth-openidc': `${MODULES}/mod_auth_openidc.so`,
}

export const haveAuthlib = (): boolean => [AUTHLIB, REQUESTS, PYTHON].every((path) => installed(path))
export const haveApache = (): boolean =>
  [APACHE, PACKAGES['libapache2-mod-auth-openidc']].every((path) => installed(path))

/** Installs what Debian has of them, or says what is skipped. */
export const provideSignInClients = (): void => provideAll(PACKAGES, 'signing in by Authlib and by Apache')

export type SignInProvider = { readonly issuer: string; readonly id: string; readonly secret: string }
export type SignInApps = { readonly origin: string; stop(): Promise<void> }

/** The clients of npm, all in one process. */
export const startNodeApps = (provider: SignInProvider): Promise<SignInApps> =>
  startApps(process.execPath, 'sign-in.ts', provider)

export const startAuthlibApps = (provider: SignInProvider): Promise<SignInApps> =>
  startApps(PYTHON, 'sign_in.py', provider)

const startApps = async (program: string, file: string, provider: SignInProvider): Promise<SignInApps> => {
  const child = spawn(program, [`${FOLDER}${file}`, JSON.stringify(provider)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: FOLDER,
  })
  const lines = createInterface(child.stdout)
  const [line] = await once(lines, 'line', { signal: AbortSignal.timeout(START_MS) })
  return { origin: JSON.parse(String(line)).origin as string, stop: () => stop(child) }
}

/**
 * An Apache whose pages need a sign-in: at `origin` as its documentation says, and at `withPkce` with PKCE switched on.
 * `X-Sub` and `X-Email` of an answer tell who has signed in.
 */
export const startApache = async (provider: SignInProvider): Promise<SignInApps & { readonly withPkce: string }> => {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-apache-'))
  // Apache's children are another user.
  chmodSync(dir, 0o755)
  mkdirSync(join(dir, 'www/mod'), { recursive: true })
  writeFileSync(join(dir, 'www/mod/login'), 'A page of this app.\n')
  const [plain, pkce] = [await freePort(), await freePort()]
  const config = [...frame(dir), ...site(dir, plain, provider), ...site(dir, pkce, provider, 'OIDCPKCEMethod S256')]
  writeFileSync(join(dir, 'apache.conf'), `${config.join('\n')}\n`)
  const child = spawn(APACHE, ['-d', dir, '-f', join(dir, 'apache.conf'), '-DFOREGROUND'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const origin = `http://localhost:${plain}`
  await eventually('Apache', async () => {
    if (child.exitCode !== null) throw new Error(readFileSync(join(dir, 'error.log'), 'utf8'))
    return (await fetch(origin).catch(() => undefined)) !== undefined
  })
  const ended = async () => {
    await stop(child, 'SIGTERM')
    rmSync(dir, { recursive: true, force: true })
  }
  return { origin, withPkce: `http://localhost:${pkce}`, stop: ended }
}

const frame = (dir: string): readonly string[] => [
  ...['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'headers', 'auth_openidc'].map(
    (name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`,
  ),
  `PidFile ${dir}/pid`,
  `ErrorLog ${dir}/error.log`,
  `Mutex file:${dir}`,
  'User www-data',
  'Group www-data',
  'ServerName localhost',
  'StartServers 1',
  // Tests go to its pages by fetch, which says that it is a script; a person's browser does not.
  'RequestHeader unset Sec-Fetch-Mode early',
]

const site = (dir: string, port: number, { issuer, id, secret }: SignInProvider, ...more: readonly string[]) => [
  `Listen 127.0.0.1:${port}`,
  `<VirtualHost 127.0.0.1:${port}>`,
  `DocumentRoot ${dir}/www`,
  `OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration`,
  `OIDCClientID ${id}`,
  `OIDCClientSecret ${secret}`,
  `OIDCRedirectURI http://localhost:${port}/mod/cb`,
  'OIDCCryptoPassphrase "a secret of this app, for its cookies alone"',
  'OIDCScope "openid email"',
  ...more,
  '<Location /mod/>',
  'AuthType openid-connect',
  'Require valid-user',
  'Header always set X-Sub "%{OIDC_CLAIM_sub}e"',
  'Header always set X-Email "%{OIDC_CLAIM_email}e"',
  '</Location>',
  '</VirtualHost>',
]

const stop = async (child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}
