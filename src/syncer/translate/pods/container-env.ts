import { copiedFields, type FieldDecisions } from '../field-decisions.ts'
import { toHostEnvField } from './downward-field.ts'
import type { LinkedService, PodContext } from '../pod-draft/pod-context.ts'
import { type PodDraft, toHostReference } from '../pod-draft/pod-draft.ts'
import { type Json, recordAt, recordsAt, textAt } from '../../../shared/json-fields.ts'
import { urlHost } from '../../../shared/network/url-host.ts'

const KEY_FIELDS = { key: 'copy', name: 'translate', optional: 'copy' } as const
const OBJECT_REFERENCE = { name: 'translate', optional: 'copy' } as const

/** The decision for each field of a variable. */
export const ENV_FIELDS = {
  name: 'copy',
  value: 'copy',
  valueFrom: {
    configMapKeyRef: KEY_FIELDS,
    fieldRef: { apiVersion: 'translate', fieldPath: 'translate' },
    fileKeyRef: { key: 'copy', optional: 'copy', path: 'copy', volumeName: 'copy' },
    resourceFieldRef: { containerName: 'copy', divisor: 'copy', resource: 'copy' },
    secretKeyRef: KEY_FIELDS,
  },
} as const satisfies FieldDecisions

/** The decision for each field of a source of variables. */
export const ENV_FROM_FIELDS = {
  configMapRef: OBJECT_REFERENCE,
  prefix: 'copy',
  secretRef: OBJECT_REFERENCE,
} as const satisfies FieldDecisions

/** Variables of Services come first: the user's can use and replace them; unlike in kubelets, `envFrom` cannot. */
export function toHostEnv(draft: PodDraft, container: Json, at: string): Json[] {
  const own = recordsAt(container, 'env').map((variable) =>
    toHostVariable(draft, variable, `${at}.env[${textAt(variable, 'name') ?? ''}]`),
  )
  const names = new Set(own.map(({ name }) => name))
  const links = draft.pod.spec['enableServiceLinks'] !== false
  const services = serviceEnv(draft.context, { links })
  return [...services.filter(({ name }) => !names.has(name)), ...own]
}

function toHostVariable(draft: PodDraft, variable: Json, at: string): Json {
  const from = recordAt(variable, 'valueFrom')
  if (from === undefined) {
    return copiedFields(ENV_FIELDS, variable)
  }
  const name = { name: variable['name'] }
  const valueFrom = `${at}.valueFrom`
  const fieldRef = recordAt(from, 'fieldRef')
  if (fieldRef !== undefined) {
    const field = toHostEnvField(draft, fieldRef, `${valueFrom}.fieldRef`)
    if (field === undefined || 'value' in field) {
      return { ...name, ...field }
    }
    return { ...name, valueFrom: { fieldRef: field } }
  }
  const copied = copiedFields(ENV_FIELDS.valueFrom, from)
  return { ...name, valueFrom: withHostNames(draft, { source: from, copied }, valueFrom) }
}

/** Whole ConfigMaps and Secrets as variables, by their host names. */
export function toHostEnvFrom(draft: PodDraft, container: Json, at: string): Json[] {
  return recordsAt(container, 'envFrom').map((source, index) => {
    const copied = copiedFields(ENV_FROM_FIELDS, source)
    return withHostNames(draft, { source, copied }, `${at}.envFrom[${index}]`)
  })
}

const REFERENCES = [
  ['configMapKeyRef', 'configMaps'],
  ['configMapRef', 'configMaps'],
  ['secretKeyRef', 'secrets'],
  ['secretRef', 'secrets'],
] as const

/** What is copied of a source, with the host names of the ConfigMaps and Secrets that it names. */
function withHostNames(
  draft: PodDraft,
  { copied, source }: { copied: Json; source: Json },
  at: string,
): Json {
  const references = REFERENCES.flatMap(([field, kind]) => {
    const reference = recordAt(source, field)
    if (reference === undefined) {
      return []
    }
    const named = toHostReference(draft, reference, { kind, field: 'name', at: `${at}.${field}` })
    return [[field, { ...recordAt(copied, field), ...named }]]
  })
  return { ...copied, ...Object.fromEntries(references) }
}

/** Whether the syncer has written a container of the host: each of those has the variables of the plane's API. */
export function hasApiVariables(container: Json): boolean {
  return recordsAt(container, 'env').some(({ name }) => name === 'KUBERNETES_SERVICE_HOST')
}

type EnvVariable = { name: string; value: string }

/** The variables that a kubelet adds for the API and, with service links, for Services: of the plane instead of the host. */
function serviceEnv(
  { apiServer, services }: PodContext,
  { links }: { links: boolean },
): EnvVariable[] {
  const { host, port } = apiServer
  const api = {
    name: 'kubernetes',
    clusterIp: host,
    ports: [{ name: 'https', port, protocol: 'TCP' }],
  }
  const linked = links ? services.filter(({ name }) => name !== 'kubernetes') : []
  const variables = [api, ...linked.toSorted((one, other) => (one.name < other.name ? -1 : 1))]
    .filter(({ clusterIp, ports }) => !['', 'None'].includes(clusterIp) && ports.length > 0)
    .flatMap(variablesOf)
  // The host's kubelet adds missing variables of its own API, whose names contain the port 443.
  const hidden = { port, protocol: 'TCP' }
  return port === 443
    ? variables
    : [...variables, ...portVariables('KUBERNETES_PORT_443_TCP', host, hidden)]
}

function variablesOf({ clusterIp, name, ports }: LinkedService): EnvVariable[] {
  const prefix = variableName(name)
  const [first] = ports
  return [
    { name: `${prefix}_SERVICE_HOST`, value: clusterIp },
    { name: `${prefix}_SERVICE_PORT`, value: String(first?.port) },
    ...ports
      .filter((one) => one.name !== undefined && one.name !== '')
      .map((one) => ({
        name: `${prefix}_SERVICE_PORT_${variableName(one.name ?? '')}`,
        value: String(one.port),
      })),
    ...(first === undefined
      ? []
      : [{ name: `${prefix}_PORT`, value: addressOf(clusterIp, first) }]),
    ...ports.flatMap((one) =>
      portVariables(`${prefix}_PORT_${one.port}_${one.protocol.toUpperCase()}`, clusterIp, one),
    ),
  ]
}

type Port = { port: number; protocol: string }

function portVariables(prefix: string, host: string, port: Port): EnvVariable[] {
  return [
    { name: prefix, value: addressOf(host, port) },
    { name: `${prefix}_PROTO`, value: port.protocol.toLowerCase() },
    { name: `${prefix}_PORT`, value: String(port.port) },
    { name: `${prefix}_ADDR`, value: host },
  ]
}

function addressOf(host: string, { port, protocol }: Port): string {
  return `${protocol.toLowerCase()}://${urlHost(host)}:${port}`
}

function variableName(name: string): string {
  return name.toUpperCase().replaceAll('-', '_')
}
