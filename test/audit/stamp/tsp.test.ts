/** Time stamps beside OpenSSL, which makes and checks them by RFC 3161. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { stampIn, stampRequest } from '../../../adapters/audit/stamp/tsp.ts'
import { newDirectory } from '../../store/open.ts'
import { isStamp, OPENSSL, startStampAuthority } from '../../support/stamping.ts'

const text = 'what is stamped\n'
const imprint = createHash('sha256').update(text).digest()

test('a request is what OpenSSL takes for one, whatever its nonce is, and its answer is taken for that request alone', async (t) => {
  const dir = newDirectory(t)
  const authority = await startStampAuthority(dir)
  t.teardown(() => authority.stop())
  const data = join(dir, 'data')
  writeFileSync(data, text)
  for (const nonce of [1n, 127n, 128n, 255n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 64n]) {
    const request = { imprint, nonce }
    const query = join(dir, 'query.tsq')
    writeFileSync(query, stampRequest(request))
    const shown = execFileSync(OPENSSL, ['ts', '-query', '-in', query, '-text'], { encoding: 'utf8' })
    t.regex(shown, /Hash Algorithm: sha256/)
    t.regex(shown, /Certificate required: yes/)
    t.regex(shown, new RegExp(`Nonce: 0x0*${nonce.toString(16)}\\b`, 'i'))

    const response = await authority.reply(stampRequest(request))
    const verdict = stampIn(response, request)
    t.true('stampedAt' in verdict && Math.abs(Date.parse(verdict.stampedAt) - Date.now()) < 60_000, String(nonce))
    const file = join(dir, 'response.tsr')
    writeFileSync(file, response)
    t.true(await isStamp(data, file, authority.caFile))
    t.deepEqual(stampIn(response, { imprint, nonce: nonce + 1n }), { fault: 'it is the answer to another request' })
    t.deepEqual(stampIn(response, { imprint: imprint.map((byte) => byte ^ 1) as Buffer, nonce }), {
      fault: 'it is of something else',
    })
  }
})

test('what is refused, cut or changed by the authority or on the way is kept by nobody', async (t) => {
  const authority = await startStampAuthority(newDirectory(t))
  t.teardown(() => authority.stop())
  const request = { imprint, nonce: 2n ** 40n }
  const response = await authority.reply(stampRequest(request))
  t.true('stampedAt' in stampIn(response, request))
  const refused = await authority.reply(Buffer.from('3003020101', 'hex'))
  t.deepEqual(stampIn(refused, request), { fault: 'the authority refused, status 2' })
  for (let length = 0; length < response.length; length += 1 + Math.floor(length / 9))
    t.true('fault' in stampIn(response.subarray(0, length), request), `${length} bytes`)
  t.true('fault' in stampIn(Buffer.concat([response, Buffer.of(0)]), request))
  // Each byte up to the end of what is signed: nothing of it may be changed into another good answer of ours.
  const end = response.indexOf(imprint) + imprint.length
  for (let at = 0; at < end; at++) {
    const changed = Buffer.from(response)
    changed[at] = (changed[at] ?? 0) ^ 0x55
    const verdict = stampIn(changed, request)
    if (at >= end - imprint.length) t.true('fault' in verdict, `byte ${at}`)
    else t.notThrows(() => stampIn(changed, request))
  }
  for (const junk of ['', '00', '3000', '30800000', '3003020100', 'ff'.repeat(40), '30'.repeat(5_000)])
    t.true('fault' in stampIn(Buffer.from(junk, 'hex'), request), junk.slice(0, 20))
})
