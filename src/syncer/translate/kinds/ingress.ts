import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { SyncScope } from '../../scope/sync-scope.ts'
import { copiedFields, type FieldDecisions } from '../field-decisions.ts'
import { type OwnerReference, toHostMetadata } from '../host-metadata.ts'
import { hostNameOf } from '../host-name.ts'
import { OBJECT_FIELDS } from '../object-fields.ts'
import { provided } from '../reading.ts'
import { CLASS_ANNOTATION, SECRETS, SERVICES } from './controller-annotations.ts'
import { type Refusal, toRefusal } from '../refusal.ts'
import { type Json, recordAt, recordsAt, textAt } from '../../../shared/json-fields.ts'

export interface IngressContext {
  scope: SyncScope
  owner?: OwnerReference | undefined
  ingressClasses: ReadonlyMap<string, string>
}

export interface HostIngress {
  ingress: KubeObject
  /** Secrets that the host needs for it, by virtual names. */
  needs: { secrets: string[] }
}

const BACKEND_FIELDS = {
  resource: 'refuse: is not possible in a plane: use a Service',
  service: { name: 'translate', port: { name: 'copy', number: 'copy' } },
} as const satisfies FieldDecisions

/** The decision for each field of an Ingress. */
export const INGRESS_FIELDS = {
  ...OBJECT_FIELDS,
  spec: {
    defaultBackend: BACKEND_FIELDS,
    ingressClassName: 'translate',
    rules: {
      host: 'copy',
      http: { paths: { backend: BACKEND_FIELDS, path: 'copy', pathType: 'copy' } },
    },
    tls: { hosts: 'copy', secretName: 'translate' },
  },
  status: 'drop',
} as const satisfies FieldDecisions

/** The results of a translation so far; `secrets` contains virtual names. */
interface IngressNotes {
  refusals: string[]
  secrets: Set<string>
}

/** The host ingress of a virtual one, with the plane's Services and Secrets; or why the host must not have it. */
export function toHostIngress(virtual: KubeObject, context: IngressContext): HostIngress | Refusal {
  const { scope } = context
  const spec = recordAt(virtual, 'spec') ?? {}
  const namespace = virtual.metadata.namespace ?? ''
  const notes: IngressNotes = { refusals: [], secrets: new Set() }
  const backend = (from: Json) => toHostBackend(from, { scope, namespace, notes })
  const metadata = toHostMetadata({ ...context, resource: 'ingresses' }, virtual)
  const { [CLASS_ANNOTATION]: _, ...copied } = metadata.annotations
  const oldClass = virtual.metadata.annotations?.[CLASS_ANNOTATION]
  const annotations = toHostIngressAnnotations(copied, { scope, namespace }, notes)
  const ingressClassName = hostClassOf(textAt(spec, 'ingressClassName') ?? oldClass, context, notes)
  const otherwise = recordAt(spec, 'defaultBackend')
  const defaultBackend = otherwise && backend(otherwise)
  const rules = recordsAt(spec, 'rules').map((rule) => {
    const http = recordAt(rule, 'http')
    const paths = recordsAt(http, 'paths').map((path) => ({
      ...copiedFields(INGRESS_FIELDS.spec.rules.http.paths, path),
      backend: backend(recordAt(path, 'backend') ?? {}),
    }))
    return {
      ...copiedFields(INGRESS_FIELDS.spec.rules, rule),
      ...provided({ http: http && { paths } }),
    }
  })
  const tls = recordsAt(spec, 'tls').map((one) => {
    const name = textAt(one, 'secretName')
    const copied = copiedFields(INGRESS_FIELDS.spec.tls, one)
    if (name === undefined) {
      return copied
    }
    notes.secrets.add(name)
    return { ...copied, secretName: hostNameOf(scope, { name, namespace }) }
  })
  return notes.refusals.length > 0
    ? toRefusal(notes.refusals)
    : {
        ingress: {
          apiVersion: 'networking.k8s.io/v1',
          kind: 'Ingress',
          metadata: { ...metadata, annotations },
          spec: provided({ ingressClassName, defaultBackend, rules, tls }),
        },
        needs: { secrets: [...notes.secrets].toSorted() },
      }
}

/** The host names of the Secrets that a host ingress names. */
export function secretsNamedBy({ metadata, ...fields }: KubeObject): string[] {
  const annotations = Object.entries(metadata.annotations ?? {})
  return [
    ...recordsAt(fields, 'spec', 'tls').flatMap((one) => textAt(one, 'secretName') ?? []),
    ...annotations.flatMap(([key, value]) =>
      SECRETS.test(key) ? [value.slice(value.indexOf('/') + 1)] : [],
    ),
  ]
}

/** An ingress's annotations for the controllers of the host, with the host names of the plane's objects. */
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
      const [name = '', secretNamespace = namespace] = value.split('/').toReversed()
      if (secretNamespace !== namespace) {
        refusals.push(`annotation "${key}" names a Secret of another namespace`)
      }
      secrets.add(name)
      return [key, `${scope.host.namespace}/${hostNameOf(scope, { name, namespace })}`]
    }
    return [key, value]
  })
  return Object.fromEntries(translated)
}

/** Without a class, the host uses its default one. */
function hostClassOf(
  name: string | undefined,
  { ingressClasses }: IngressContext,
  { refusals }: IngressNotes,
): string | undefined {
  if (name !== undefined && !ingressClasses.has(name)) {
    refusals.push(
      `spec.ingressClassName "${name}" is not one of the plane's ingress classes, "sync.ingressClasses: [${name}]" in the plane's spec would allow it`,
    )
  }
  return ingressClasses.get(name ?? '')
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
  const copied = copiedFields(BACKEND_FIELDS.service, service)
  return { service: { ...copied, name: hostNameOf(scope, { name, namespace }) } }
}
