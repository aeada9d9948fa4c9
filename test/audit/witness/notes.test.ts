/** Signed notes, checkpoints and cosignatures, as others write and read them. */
import test from 'ava'
import { toBase64, ZERO } from '../../../adapters/audit/hash.ts'
import {
  checkpointIn,
  checkpointText,
  cosignatureLine,
  cosignatureText,
  cosignedAt,
} from '../../../adapters/audit/witness/checkpoint.ts'
import {
  isNoteSignedBy,
  type Note,
  noteIn,
  noteOf,
  signatureLine,
  type VerifierKey,
  vkeyIn,
  vkeyOf,
} from '../../../adapters/audit/witness/note.ts'
import { newKeyPair, signText } from '../../../adapters/crypto/ed25519.ts'
import { newDirectory } from '../../store/open.ts'
import { referenceVerdict } from '../../support/witnessing.ts'

/** The example of golang.org/x/mod/sumdb/note, where the form comes from. */
const EXAMPLE_KEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
const EXAMPLE = `If you think cryptography is the answer to your problem,
then you don't know what your problem is.

— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=
`

const signer = (name: string, kind: VerifierKey['kind']) => {
  const { publicKey, privateKey } = newKeyPair()
  const key: VerifierKey = { name, kind, publicKey }
  return { key, privateKey }
}
const log = signer('shop.example/daybook/1', 'key')
const witness = signer('witness.example/w1', 'cosigner')
const text = checkpointText({ origin: log.key.name, size: 7, root: toBase64(ZERO) })
const ownLine = (of: string) => signatureLine(log.key, Buffer.from(signText(log.privateKey, of), 'base64'))
const TIME = 1_772_445_600
const witnessLine = cosignatureLine(witness.key, witness.privateKey, text, TIME)
const note = noteOf(text, [ownLine(text), witnessLine])
const read = (given: string): Note => noteIn(given) as Note

test('a note and a key that others have written are read, and a change of one letter is found', (t) => {
  const key = vkeyIn(EXAMPLE_KEY) as VerifierKey
  t.is(vkeyOf(key), EXAMPLE_KEY)
  t.true(isNoteSignedBy(read(EXAMPLE), key))
  t.false(isNoteSignedBy(read(EXAMPLE.replace('answer', 'anſwer')), key))
  t.false(isNoteSignedBy(read(EXAMPLE), log.key))
  for (const broken of ['', EXAMPLE_KEY.replace('c74f', 'c74e'), EXAMPLE_KEY.replace('+AR', '+CR'), `${EXAMPLE_KEY} `])
    t.is(vkeyIn(broken), undefined, broken)
})

test('our checkpoint and its cosignature are good for a verifier in another language', async (t) => {
  const dir = newDirectory(t)
  const keys = { log: log.key, witness: [vkeyOf(witness.key)] }
  const said = { origin: log.key.name, size: 7, root: toBase64(ZERO), log: true }
  t.deepEqual(await referenceVerdict(dir, note, keys), { ...said, witnesses: { [witness.key.name]: TIME } })
  t.deepEqual(await referenceVerdict(dir, noteOf(text, [ownLine(text)]), keys), {
    ...said,
    witnesses: { [witness.key.name]: null },
  })
  t.truthy((await referenceVerdict(dir, note.replace('\n7\n', '\n8\n'), keys)).error)
})

test('a cosignature counts only by its witness, over that text, at that time', (t) => {
  const at = (given: string, key = witness.key) => cosignedAt(read(given), key)
  t.is(at(note), TIME)
  t.is(at(noteOf(text, [ownLine(text)])), undefined)
  t.is(at(note, { ...witness.key, name: 'witness.example/w2' }), undefined)
  t.is(at(note, { ...signer('witness.example/w1', 'cosigner').key }), undefined)
  t.is(at(note.replace('\n7\n', '\n8\n')), undefined)
  // Of several the newest time counts, and a bad one in its name spoils all.
  t.is(at(`${note}${cosignatureLine(witness.key, witness.privateKey, text, TIME + 9)}`), TIME + 9)
  t.is(at(`${note}${cosignatureLine(witness.key, witness.privateKey, `${text}x\n`, TIME + 9)}`), undefined)
  const untimed = Buffer.from(signText(witness.privateKey, cosignatureText(text, TIME)), 'base64')
  t.is(at(noteOf(text, [signatureLine(witness.key, untimed)])), undefined)
  // The log's own key is none of a witness, whatever it signs.
  const posing = { ...log.key, kind: 'cosigner' as const }
  t.is(at(noteOf(text, [ownLine(text)]), posing), undefined)
  t.is(at(noteOf(text, [cosignatureLine(log.key, log.privateKey, text, TIME)]), log.key), undefined)
  t.false(isNoteSignedBy(read(note), witness.key))
})

test('the signatures of others are passed over, and a bad one of the key itself spoils the note', (t) => {
  const stranger = signer('stranger.example', 'key')
  const line = signatureLine(stranger.key, Buffer.alloc(2_420, 7))
  t.true(isNoteSignedBy(read(`${note}${line}`), log.key))
  t.false(isNoteSignedBy(read(`${note}${ownLine(`${text}x\n`)}`), log.key))
})

test('what is no note of a checkpoint is none', (t) => {
  t.like(checkpointIn(note), { origin: log.key.name, size: 7, root: toBase64(ZERO) })
  const extended = checkpointText({ origin: 'o', size: 0, root: toBase64(ZERO) })
  t.like(checkpointIn(noteOf(`${extended}more\n`, [ownLine(text)])), { size: 0 })
  for (const [what, broken] of Object.entries({
    'no signature': `${text}\n`,
    'no empty line': text + ownLine(text),
    'no line feed at the end': note.slice(0, -1),
    'a leading zero': note.replace('\n7\n', '\n07\n'),
    'a negative size': note.replace('\n7\n', '\n-7\n'),
    'a size that is not exact': note.replace('\n7\n', '\n9007199254740993\n'),
    'a short root': note.replace(toBase64(ZERO), toBase64(ZERO.slice(1))),
    'no origin': note.replace(log.key.name, ''),
    'a carriage return': note.replace('\n7\n', '\r\n7\n'),
    'a dash for the long one': note.replaceAll('—', '-'),
    'base64 that is not canonical': note.replace(/(\S)=?\n$/, 'x!\n'),
    'many signatures': note + ownLine(text).repeat(64),
  }))
    t.is(checkpointIn(broken), undefined, what)
})
