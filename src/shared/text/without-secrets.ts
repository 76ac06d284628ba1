const LEFT_OUT = '(left out)'

/** The patterns of secrets: PEM, PEM in base64, tokens, and passwords in addresses. */
const SECRETS: ReadonlyArray<readonly [RegExp, string]> = [
  [/-----BEGIN [A-Z0-9 ]+-----(?:[^]*?-----END [A-Z0-9 ]+-----|[\s\w+/=\\]*)/g, LEFT_OUT],
  [/LS0tLS1CRUdJTi[\w+/=]+/g, LEFT_OUT],
  [/\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/g, LEFT_OUT],
  [/\b(Bearer\s+)[\w.~+/=-]{8,}/gi, `$1${LEFT_OUT}`],
  [/(:\/\/[^\s/:@"]*:)[^\s/@"]+@/g, `$1${LEFT_OUT}@`],
]

/** Removes everything from a text that looks like a key, a certificate, a token or the password of an address. */
export function withoutSecrets(text: string): string {
  return SECRETS.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), text)
}
