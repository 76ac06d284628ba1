import { isDeepStrictEqual } from 'node:util'
import { type ProgramName, SPEC_SECTION } from '../../control-plane/plane/plane.ts'
import type { PodTemplate } from '../../control-plane/spec/fields/workload-fields.ts'
import { VplaneError } from '../../shared/errors.ts'
import { isRecord, type Json } from '../../shared/json-fields.ts'
import type { Manifest } from '../manifest.ts'

/**
 * The fields that identify the items of a pod's lists, as strategic merge patches know them
 * (https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.36/#podspec-v1-core, "patch merge key").
 */
const KEYS: Record<string, string> = {
  containers: 'name',
  env: 'name',
  hostAliases: 'ip',
  imagePullSecrets: 'name',
  initContainers: 'name',
  ports: 'containerPort',
  topologySpreadConstraints: 'topologyKey',
  volumeDevices: 'devicePath',
  volumeMounts: 'mountPath',
  volumes: 'name',
}

/** Values with one of several contents, such as the kind of a volume: two of them would not go together. */
const WHOLE = /(Probe|\.(volumes|env)\[[^\]]*\])$/

/** The field of the spec that changes what vplane sets in a pod, by the end of the path. */
const OWN_FIELDS: ReadonlyArray<[RegExp, (section: string) => string]> = [
  [/\.resources\b/, (section) => `"${section}.resources"`],
  [/\.args$/, (section) => `"${section}.extraArgs"`],
  [/\.image$/, () => '"version" and "images.registry"'],
  [/\.imagePullPolicy$/, () => '"images.pullPolicy"'],
  [/\.(affinity|nodeSelector|priorityClassName|tolerations)\b/, () => '"pods"'],
]

/**
 * A workload with what a user adds to its pods. What vplane sets stays: a template may repeat it, and may add fields,
 * items of lists with names, and whole lists that vplane leaves empty.
 * @throws {VplaneError} `INVALID_SPEC` with the fields that would change what vplane sets.
 */
export function withPodTemplate(
  workload: Manifest,
  component: ProgramName,
  template: PodTemplate,
): Manifest {
  const spec = isRecord(workload['spec']) ? workload['spec'] : {}
  const refused: string[] = []
  const merged = mergeBelow({ own: spec['template'], user: template, path: '' }, refused)
  if (refused.length > 0) {
    const section = SPEC_SECTION[component]
    const names = refused.map((path) => `"${section}.podTemplate${path}"`).join(', ')
    throw new VplaneError('INVALID_SPEC', `vplane sets ${names} itself`, {
      hints: ['leave it out of the template', ...refused.flatMap((path) => hintOf(path, section))],
    })
  }
  return { ...workload, spec: { ...spec, template: merged } }
}

interface Pair {
  own: unknown
  user: unknown
  path: string
}

/** Adds to `refused` the paths at which the user's value would replace vplane's. */
function mergeBelow({ own, path, user }: Pair, refused: string[]): unknown {
  if (isMissing(own)) {
    return user
  }
  if (isMissing(user)) {
    return own
  }
  if (isRecord(own) && isRecord(user) && !WHOLE.test(path)) {
    return mergeFields({ own, user, path }, refused)
  }
  const key = KEYS[path.slice(path.lastIndexOf('.') + 1)]
  if (Array.isArray(own) && Array.isArray(user) && key !== undefined) {
    return mergeItems({ own: own.filter(isRecord), user, path, key }, refused)
  }
  if (!isDeepStrictEqual(own, user)) {
    refused.push(path)
  }
  return own
}

function mergeFields(
  { own, path, user }: { own: Json; user: Json; path: string },
  refused: string[],
): Json {
  const names = [...new Set([...Object.keys(own), ...Object.keys(user)])]
  const entries = names.map((name) => [
    name,
    mergeBelow({ own: own[name], user: user[name], path: `${path}.${name}` }, refused),
  ])
  return Object.fromEntries(entries)
}

function mergeItems(
  { key, own, path, user }: { own: Json[]; user: unknown[]; path: string; key: string },
  refused: string[],
): unknown[] {
  const sameAs = (item: unknown) =>
    own.find((one) => isRecord(item) && isDeepStrictEqual(one[key], item[key]))
  const merged = own.map((one) => {
    const place = `${path}[${String(one[key])}]`
    const [item, ...others] = user.filter((other) => sameAs(other) === one)
    refused.push(...(others.length > 0 ? [place] : []))
    return mergeBelow({ own: one, user: item, path: place }, refused)
  })
  return [...merged, ...user.filter((item) => sameAs(item) === undefined)]
}

/** vplane leaves a field empty where a user may set it. */
function isMissing(value: unknown): boolean {
  return (
    value === undefined ||
    (Array.isArray(value) && value.length === 0) ||
    (isRecord(value) && Object.keys(value).length === 0)
  )
}

function hintOf(path: string, section: string): string[] {
  const field = OWN_FIELDS.find(([ending]) => ending.test(path))?.[1]
  return field === undefined ? [] : [`use ${field(section)} in place of "${path.slice(1)}"`]
}
