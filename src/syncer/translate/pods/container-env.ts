import { picked } from '../reading.ts'
import { toHostEnvField } from './downward-field.ts'
import { knownFields, type PodDraft, toHostReference } from '../pod-draft/pod-draft.ts'
import { serviceEnv } from './service-env.ts'
import { type Json, recordAt, recordsAt, textAt } from '../../../shared/json-fields.ts'

const SOURCES = ['configMapKeyRef', 'fieldRef', 'fileKeyRef', 'resourceFieldRef', 'secretKeyRef']

/**
 * Variables of a container on the host. The Services' come first, so that the user's may refer to them and replace them;
 * those of `envFrom` do not replace them, which is the one difference to a kubelet's.
 */
export function toHostEnv(draft: PodDraft, container: Json, at: string): Json[] {
  const own = recordsAt(container, 'env').map((variable) =>
    toHostVariable(draft, variable, `${at}.env[${textAt(variable, 'name') ?? ''}]`),
  )
  const names = new Set(own.map(({ name }) => name))
  const links = draft.pod.spec['enableServiceLinks'] !== false
  return [
    ...serviceEnv(draft.context, { links })
      .filter(({ name }) => !names.has(name))
      .map((one) => ({ ...one })),
    ...own,
  ]
}

function toHostVariable(draft: PodDraft, variable: Json, at: string): Json {
  const from = recordAt(variable, 'valueFrom')
  if (from === undefined) {
    return picked(variable, ['name', 'value'])
  }
  const name = { name: variable['name'] }
  const valueFrom = `${at}.valueFrom`
  const known = knownFields(draft, from, { at: valueFrom, fields: SOURCES })
  const fieldRef = recordAt(known, 'fieldRef')
  if (fieldRef !== undefined) {
    const field = toHostEnvField(draft, fieldRef, `${valueFrom}.fieldRef`)
    if (field === undefined || 'value' in field) {
      return { ...name, ...field }
    }
    return { ...name, valueFrom: { fieldRef: field } }
  }
  return { ...name, valueFrom: withHostNames(draft, known, valueFrom) }
}

/** Whole ConfigMaps and Secrets as variables, by their host names. */
export function toHostEnvFrom(draft: PodDraft, container: Json, at: string): Json[] {
  return recordsAt(container, 'envFrom').map((source, index) => {
    const where = `${at}.envFrom[${index}]`
    const fields = ['prefix', 'configMapRef', 'secretRef']
    return withHostNames(draft, knownFields(draft, source, { at: where, fields }), where)
  })
}

const REFERENCES = [
  ['configMapKeyRef', 'configMaps'],
  ['configMapRef', 'configMaps'],
  ['secretKeyRef', 'secrets'],
  ['secretRef', 'secrets'],
] as const

function withHostNames(draft: PodDraft, source: Json, at: string): Json {
  const references = REFERENCES.flatMap(([field, kind]) => {
    const reference = recordAt(source, field)
    return reference === undefined
      ? []
      : [[field, toHostReference(draft, reference, { kind, field: 'name', at: `${at}.${field}` })]]
  })
  return { ...source, ...Object.fromEntries(references) }
}
