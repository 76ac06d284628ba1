import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { textAt } from '../../../shared/json-fields.ts'
import type { SyncScope } from '../../scope/sync-scope.ts'
import { isCopiedAnnotation, isCopiedByDefault, isDispensable } from '../host-annotations.ts'

/** The class of an Ingress from before it had a field; the field has it on the host. */
export const CLASS_ANNOTATION = 'kubernetes.io/ingress.class'

/** Annotations that name a Secret, or another Service, of the Ingress's namespace. */
export const SECRETS = /\/(auth-secret|auth-tls-secret|proxy-ssl-secret)$/
export const SERVICES = /\/default-backend$/

/** Annotations that configure a controller which others share, or name objects and groups of the whole host. */
const SHARED = [
  /-snippets?$/,
  /\/config-(backend|defaults|frontend|global|proxy|sections|tcp)/,
  /\/(auth-proxy-set-headers|custom-headers)$/,
  /^alb\.ingress\.kubernetes\.io\/(actions\.|group\.)/,
  /^traefik\.ingress\.kubernetes\.io\/router\.(middlewares|tls\.options)$/,
]

/** Annotations whose value is the name of a host object. */
const NAMES =
  /(secrets?|config-?map|(backend|frontend)-?configs?|issuer|middlewares?|plugins?|policies|serverstransport)$/

/** Characters that separate directives in the configuration of a controller. */
const SYNTAX = /[{};#"'`\\\p{Cc}]/u

/**
 * Why the host must not have the annotations of an Ingress or a Service. One that a controller of load balancers may read is
 * refused unless it is copied: without one that asks for a password or an internal address, everyone could reach what the
 * user has closed.
 */
export function annotationRefusals(
  scope: Pick<SyncScope, 'annotations'>,
  resource: 'ingresses' | 'services',
  virtual: KubeObject,
): string[] {
  const isRead = resource === 'ingresses' || textAt(virtual, 'spec', 'type') === 'LoadBalancer'
  const { [CLASS_ANNOTATION]: _, ...annotations } = virtual.metadata.annotations ?? {}
  return Object.entries(annotations)
    .filter(([key]) => scope.annotations?.includes(key) !== true)
    .flatMap(([key, value]) => {
      const why = isCopiedAnnotation(scope, resource, key)
        ? whyNotCopied(resource, key, value)
        : isRead && !isDispensable(key)
          ? 'is not one that the host may have'
          : undefined
      return why === undefined
        ? []
        : [
            `annotation "${key}" ${why}, "sync.annotations: [${key}]" in the plane's spec would allow it`,
          ]
    })
}

function whyNotCopied(
  resource: 'ingresses' | 'services',
  key: string,
  value: string,
): string | undefined {
  if (SHARED.some((pattern) => pattern.test(key))) {
    return 'affects more than its object'
  }
  if (NAMES.test(key) && !SECRETS.test(key)) {
    return 'names an object of the host'
  }
  return isCopiedByDefault(resource, key) && SYNTAX.test(value)
    ? 'has characters that could change the configuration of a controller'
    : undefined
}
