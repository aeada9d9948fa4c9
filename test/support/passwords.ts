import { createPasswords } from '../../adapters/crypto/passwords.ts'
import { DEEP } from './depth.ts'

/**
 * Passwords for tests that are about something else: hashed by the same algorithm, with the least memory that it takes,
 * and as in the product in the deep run. Hundreds of tests sign somebody in, and of all the memory that a whole run
 * asks for passwords would take half. What a hash costs is tested in passwords.test.ts.
 */
export const createTestPasswords = () => createPasswords(DEEP ? undefined : { memoryKiB: 8, passes: 1 })
