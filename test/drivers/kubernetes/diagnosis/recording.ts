import type { HostApi } from '../../../../src/drivers/kubernetes/host/host-api.ts'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { isRecord } from '../../../../src/shared/json-fields.ts'

/** What a host had of a plane when it was looked at. */
export interface Recording {
  /** Objects by path. */
  objects: Record<string, KubeObject>
  /** Logs by path, without the query. */
  texts: Record<string, string>
}

/** The API of a host cluster that keeps what it answered. */
export class RecordingApi {
  #recording: Recording = { objects: {}, texts: {} }
  readonly #api: Pick<HostApi, 'create' | 'get' | 'list' | 'stream'>

  constructor(api: Pick<HostApi, 'create' | 'get' | 'list' | 'stream'>) {
    this.#api = api
  }

  /** What was answered since the last call, trimmed, for one plane, as if it were in the namespace `team-a`. */
  take(plane: string, namespace: string): Recording {
    const { objects, texts } = this.#recording
    this.#recording = { objects: {}, texts: {} }
    const own = Object.entries(objects).filter(([, object]) => isAbout(object, plane))
    const recording = {
      objects: Object.fromEntries(own.map(([path, object]) => [path, trimmed(object)])),
      texts,
    }
    const text = JSON.stringify(recording).replaceAll(namespace, 'team-a')
    const parsed: Recording = JSON.parse(text)
    return parsed
  }

  create(...request: Parameters<HostApi['create']>): ReturnType<HostApi['create']> {
    return this.#api.create(...request)
  }

  get(...request: Parameters<HostApi['get']>): ReturnType<HostApi['get']> {
    return this.#api.get(...request)
  }

  async list(...request: Parameters<HostApi['list']>): ReturnType<HostApi['list']> {
    const list = await this.#api.list(...request)
    for (const item of list.items) {
      this.#recording.objects[`${request[0]}/${item.metadata.name}`] = item
    }
    return list
  }

  async *stream(...[path, options]: Parameters<HostApi['stream']>): AsyncGenerator<string> {
    const key = path.split('?')[0] ?? path
    for await (const chunk of this.#api.stream(path, options)) {
      this.#recording.texts[key] = (this.#recording.texts[key] ?? '') + chunk
      yield chunk
    }
  }
}

function isAbout({ involvedObject, kind, metadata }: KubeObject, plane: string): boolean {
  const name = isRecord(involvedObject) ? String(involvedObject['name']) : metadata.name
  return kind !== 'Event' || (name ?? '').includes(`vplane-${plane}-`)
}

const KEPT = new Set([
  'name',
  'namespace',
  'uid',
  'labels',
  'deletionTimestamp',
  'creationTimestamp',
])

const DROPPED = new Set(
  'containerID imageID hostIP hostIPs podIP podIPs startTime qosClass allocatedResources observedGeneration lastProbeTime volumeMounts tolerations terminationGracePeriodSeconds terminationMessagePath terminationMessagePolicy dnsPolicy schedulerName restartPolicy securityContext env livenessProbe readinessProbe serviceAccount serviceAccountName enableServiceLinks preemptionPolicy priority selector template volumeClaimTemplates updateStrategy strategy reportingComponent reportingInstance source lastUpdateTime'.split(
    ' ',
  ),
)

/** Without what no diagnosis looks at. */
function trimmed({ metadata, ...object }: KubeObject): unknown {
  const kept = Object.fromEntries(Object.entries(metadata).filter(([key]) => KEPT.has(key)))
  return { ...withoutDropped(object), metadata: kept }
}

function withoutDropped(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !DROPPED.has(key))
      .map(([key, field]) => [key, trimmedValue(field)]),
  )
}

function trimmedValue(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(trimmedValue)
  }
  return isRecord(value) ? withoutDropped(value) : value
}
