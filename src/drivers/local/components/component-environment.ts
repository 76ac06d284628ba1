import type { Environment } from '../../../shared/environment.ts'

/** What components may need of the user's environment: proxies and trusted CAs towards issuers and webhooks, the time zone. */
const PASSED_ON = [
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
  'TZ',
]

/** The environment of a component: nothing of the user's but what is named above, so that no secret of a shell stays behind in a process. */
export function componentEnvironment(
  environment: Environment,
  own: Record<string, string>,
): Record<string, string> {
  const passed = PASSED_ON.flatMap((name) => {
    const value = environment[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { PATH: '/usr/bin:/bin', ...Object.fromEntries(passed), ...own }
}
