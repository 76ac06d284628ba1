import { type Environment, pickVariables } from '../../../shared/environment.ts'

const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']

/** The user's variables that components may need: proxies and trusted CAs for webhooks, and the time zone. */
const PASSED_ON = [
  ...PROXIES,
  ...PROXIES.map((name) => name.toLowerCase()),
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
  'TZ',
]

/** The environment of a component, without other variables of the user: no secret of a shell may stay in a process. */
export function componentEnvironment(
  environment: Environment,
  own: Record<string, string>,
): Record<string, string> {
  return { PATH: '/usr/bin:/bin', ...pickVariables(environment, PASSED_ON), ...own }
}
