/** A time stamp authority for the tests: OpenSSL's own, behind HTTP. */
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'

const CONFIG = (dir: string) => `
[tsa]
default_tsa = t
[t]
serial = ${dir}/serial
crypto_device = builtin
signer_cert = ${dir}/tsa.pem
signer_key = ${dir}/tsa.key
certs = ${dir}/ca.pem
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ordering = yes
tsa_name = yes
ess_cert_id_chain = no
[req]
distinguished_name = dn
[dn]
[ca]
basicConstraints = critical,CA:true
[stamping]
extendedKeyUsage = critical,timeStamping
`

export type StampAuthority = {
  readonly url: string
  /** The certificate that its stamps are checked with. */
  readonly caFile: string
  /** Requests that came. */
  readonly asked: Buffer[]
  /** Answers in place of OpenSSL; undefined lets that answer. */
  answerWith(answer: ((request: Buffer) => Promise<Buffer> | Buffer) | undefined): void
  /** What OpenSSL answers. */
  reply(request: Buffer): Promise<Buffer>
  stop(): Promise<void>
}

/** Debian has it. */
export const OPENSSL = '/usr/bin/openssl'

const openssl = promisify(execFile)

export const startStampAuthority = async (dir: string): Promise<StampAuthority> => {
  mkdirSync(dir, { recursive: true })
  const [config, caFile] = [join(dir, 'tsa.cnf'), join(dir, 'ca.pem')]
  writeFileSync(config, CONFIG(dir))
  writeFileSync(join(dir, 'serial'), '01\n')
  const run = (...args: string[]) => execFileSync(OPENSSL, args, { cwd: dir, stdio: 'pipe' })
  // A key of RSA takes a second to find, which every test with an authority would wait for.
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  const key = (name: string) => [...curve, '-nodes', '-keyout', `${name}.key`, '-config', config]
  run('req', '-x509', ...key('ca'), '-out', 'ca.pem', '-subj', '/CN=Test CA', '-extensions', 'ca', '-days', '9')
  run('req', ...key('tsa'), '-out', 'tsa.csr', '-subj', '/CN=Test TSA')
  const signing = [
    '-CA',
    'ca.pem',
    '-CAkey',
    'ca.key',
    '-CAcreateserial',
    '-extfile',
    config,
    '-extensions',
    'stamping',
  ]
  run('x509', '-req', '-in', 'tsa.csr', ...signing, '-out', 'tsa.pem', '-days', '9')

  let count = 0
  const reply = async (request: Buffer): Promise<Buffer> => {
    const query = join(dir, `${++count}.tsq`)
    writeFileSync(query, request)
    const args = ['ts', '-reply', '-config', config, '-section', 't', '-queryfile', query]
    const { stdout } = await openssl(OPENSSL, args, { encoding: 'buffer' })
    return stdout
  }
  const asked: Buffer[] = []
  let own: ((request: Buffer) => Promise<Buffer> | Buffer) | undefined
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    asked.push(body)
    const isQuery = request.headers['content-type'] === 'application/timestamp-query'
    const answer = isQuery ? await (own ?? reply)(body) : Buffer.alloc(0)
    response.writeHead(isQuery ? 200 : 415, { 'Content-Type': 'application/timestamp-reply' }).end(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tsr`,
    caFile,
    asked,
    answerWith(answer) {
      own = answer
    },
    reply,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Whether OpenSSL takes a stamp for that of a file by an authority. */
export const isStamp = async (dataFile: string, responseFile: string, caFile: string): Promise<boolean> =>
  openssl(OPENSSL, ['ts', '-verify', '-data', dataFile, '-in', responseFile, '-CAfile', caFile]).then(
    () => true,
    () => false,
  )
