import { createPasswords } from '../../adapters/crypto/passwords.ts'

/**
 * Passwords for tests that are about something else: hashed by the same algorithm, with the least memory that it takes.
 * Hundreds of tests sign somebody in, and half of all the memory that a whole run asks for would be that of passwords.
 * What a hash costs outside tests is tested in passwords.test.ts.
 */
export const createQuickPasswords = () => createPasswords({ memoryKiB: 8, passes: 1 })
