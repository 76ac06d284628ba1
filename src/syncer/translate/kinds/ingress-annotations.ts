import type { SyncScope } from '../../scope/sync-scope.ts'
import { hostNameOf } from '../host-name.ts'

/** What of an ingress is refused or named anew; `secrets` gets the virtual names that the host needs. */
export interface IngressNotes {
  refusals: string[]
  secrets: Set<string>
}

/** Write the configuration of a controller that others share, or name objects and groups of the whole host. */
const REFUSED = [
  /-snippets?$/,
  /\/(auth-proxy-set-headers|custom-headers)$/,
  /^alb\.ingress\.kubernetes\.io\/(actions\.|group\.)/,
  /^traefik\.ingress\.kubernetes\.io\/router\.(middlewares|tls\.options)$/,
]
const SECRETS = /\/(auth-secret|auth-tls-secret|proxy-ssl-secret)$/
const SERVICES = /\/default-backend$/

/** Annotations of an ingress for the controllers of the host: what names objects names the plane's. */
export function toHostIngressAnnotations(
  annotations: Readonly<Record<string, string>>,
  { namespace, scope }: { scope: SyncScope; namespace: string },
  { refusals, secrets }: IngressNotes,
): Record<string, string> {
  const translated = Object.entries(annotations).map(([key, value]): [string, string] => {
    if (SERVICES.test(key)) {
      return [key, hostNameOf(scope, { name: value, namespace })]
    }
    if (SECRETS.test(key)) {
      const [name = '', place = namespace] = value.split('/').toReversed()
      if (place !== namespace) {
        refusals.push(`annotation "${key}" names a Secret of another namespace`)
      }
      secrets.add(name)
      return [key, `${scope.host.namespace}/${hostNameOf(scope, { name, namespace })}`]
    }
    if (REFUSED.some((pattern) => pattern.test(key))) {
      refusals.push(
        `annotation "${key}" is not possible in a plane: it reaches beyond the ingress itself`,
      )
    }
    return [key, value]
  })
  return Object.fromEntries(translated)
}
