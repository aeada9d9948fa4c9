import { createPasswords } from '../../adapters/crypto/passwords.ts'
import { DEEP } from './depth.ts'

/**
 * Passwords for tests that are about something else: hashed by the same algorithm, with the least memory that it takes,
 * and as in the product in the deep run. Hundreds of tests sign somebody in, for which a service takes 17 ms of a
 * processor and 19 MiB each time. What it takes is tested in passwords.test.ts, and in a service in secrets.test.ts.
 */
export const createTestPasswords = () => createPasswords(DEEP ? undefined : { memoryKiB: 8, passes: 1 })
