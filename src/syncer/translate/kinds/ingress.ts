import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { SyncScope } from '../../scope/sync-scope.ts'
import { type OwnerReference, toHostMetadata } from '../host-metadata.ts'
import { hostNameOf } from '../host-name.ts'
import { picked } from '../reading.ts'
import { type Json, recordAt, recordsAt, textAt } from '../../../shared/json-fields.ts'

export interface IngressContext {
  scope: SyncScope
  owner?: OwnerReference | undefined
  /** Ingress classes of the host by those of the plane that stand for them. */
  ingressClasses: ReadonlyMap<string, string>
}

export interface HostIngress {
  ingress: KubeObject
  /** Secrets that the host needs for it, by virtual names. */
  needs: { secrets: string[] }
}

/** How ingresses named their class before there was a field. */
const CLASS_ANNOTATION = 'kubernetes.io/ingress.class'

/** What of an ingress is refused or named anew; `secrets` gets the virtual names that the host needs. */
interface IngressNotes {
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

/** The host ingress of a virtual one, with the plane's Services and Secrets; or why the host must not have it. */
export function toHostIngress(
  virtual: KubeObject,
  context: IngressContext,
): HostIngress | { refusals: string[] } {
  const { scope } = context
  const spec = recordAt(virtual, 'spec') ?? {}
  const namespace = virtual.metadata.namespace ?? ''
  const notes: IngressNotes = { refusals: [], secrets: new Set() }
  const backend = (from: Json) => toHostBackend(from, { scope, namespace, notes })
  const metadata = toHostMetadata(scope, virtual, context.owner)
  const { [CLASS_ANNOTATION]: oldClass, ...kept } = metadata.annotations
  const annotations = toHostIngressAnnotations(kept, { scope, namespace }, notes)
  const hostClass = classOf(textAt(spec, 'ingressClassName') ?? oldClass, context, notes)
  const otherwise = recordAt(spec, 'defaultBackend')
  const defaultBackend = otherwise === undefined ? {} : { defaultBackend: backend(otherwise) }
  const rules = recordsAt(spec, 'rules').map((rule) => {
    const http = recordAt(rule, 'http')
    const paths = recordsAt(http, 'paths').map((path) => ({
      ...picked(path, ['path', 'pathType']),
      backend: backend(recordAt(path, 'backend') ?? {}),
    }))
    return { ...picked(rule, ['host']), ...(http === undefined ? {} : { http: { paths } }) }
  })
  const tls = recordsAt(spec, 'tls').map((one) => {
    const name = textAt(one, 'secretName')
    if (name !== undefined) {
      notes.secrets.add(name)
    }
    const secret = name === undefined ? {} : { secretName: hostNameOf(scope, { name, namespace }) }
    return { ...picked(one, ['hosts']), ...secret }
  })
  return notes.refusals.length > 0
    ? { refusals: notes.refusals }
    : {
        ingress: {
          apiVersion: 'networking.k8s.io/v1',
          kind: 'Ingress',
          metadata: { ...metadata, annotations },
          spec: {
            ...hostClass,
            ...defaultBackend,
            ...picked({ rules, tls }, ['rules', 'tls']),
          },
        },
        needs: { secrets: [...notes.secrets].toSorted() },
      }
}

/** Annotations of an ingress for the controllers of the host: what names objects names the plane's. */
function toHostIngressAnnotations(
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

/** Without a class the host's default one. */
function classOf(
  name: string | undefined,
  { ingressClasses }: IngressContext,
  { refusals }: IngressNotes,
): Json {
  if (name === undefined) {
    return {}
  }
  const ingressClassName = ingressClasses.get(name)
  if (ingressClassName === undefined) {
    refusals.push(
      `spec.ingressClassName "${name}" is not one of the plane's ingress classes, "sync.ingressClasses: [${name}]" in the plane's spec would allow it`,
    )
    return {}
  }
  return { ingressClassName }
}

function toHostBackend(
  backend: Json,
  { namespace, notes, scope }: { scope: SyncScope; namespace: string; notes: IngressNotes },
): Json {
  const service = recordAt(backend, 'service')
  const name = textAt(service, 'name')
  if (service === undefined || name === undefined) {
    notes.refusals.push('spec.rules.http.paths.backend is only possible with a Service')
    return {}
  }
  return { service: { ...picked(service, ['port']), name: hostNameOf(scope, { name, namespace }) } }
}
