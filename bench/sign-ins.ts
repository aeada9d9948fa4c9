/** One app that signs one user in, alike at Daybook and at its peer. */

export const CLIENT = 'bench'
export const SECRET = 'a secret of more than thirty-two characters'
export const REDIRECT_URI = 'https://app.test/cb'
export const STATE = 'a-state-of-sixteen-characters'
/** RFC 7636, appendix B. */
export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
export const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
