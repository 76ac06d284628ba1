import { isReadyPod } from '../../../src/drivers/kubernetes/observed/observed-plane.ts'
import { fieldAt, isRecord, textAt } from '../../../src/shared/json-fields.ts'
import { conditionOf, isLeaving, type KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { type ConfigMapWriter, startWriter } from '../../support/data/config-map-writer.ts'
import { HostPlane } from '../../support/host/planes/host-plane.ts'

const WRITES_PER_SECOND = 2
const SERVING_MS = 180_000

/** A plane with its ControlPlane, someone who writes into it, and what it has acknowledged. */
export class DeclaredPlane extends HostPlane {
  #spec: Record<string, unknown> = {}
  #writer: ConfigMapWriter | undefined

  /** Applies fields of the spec as a GitOps tool does, in addition to those that it applied before. */
  async apply(fields: Record<string, unknown>): Promise<void> {
    for (const [field, value] of Object.entries(fields)) {
      const former = this.#spec[field]
      this.#spec[field] = isRecord(former) && isRecord(value) ? { ...former, ...value } : value
    }
    const { name, namespace } = this
    const flags = ['--server-side', '--field-manager=gitops', '--force-conflicts']
    await this.cli.host(['apply', ...flags, '--filename', '-'], {
      apiVersion: 'vplane.dev/v1beta1',
      kind: 'ControlPlane',
      metadata: { name, namespace },
      spec: this.#spec,
    })
  }

  /** The ControlPlane; undefined when there is none. */
  async resource(): Promise<KubeObject | undefined> {
    const flags = ['--namespace', this.namespace, '--ignore-not-found', '--output', 'json']
    const text = await this.cli.host(['get', `vcp/${this.name}`, ...flags])
    return text === '' ? undefined : JSON.parse(text)
  }

  /** A field of the spec of its ControlPlane. */
  async wanted(...path: string[]): Promise<unknown> {
    return fieldAt(await this.resource(), 'spec', ...path)
  }

  /** Starts to write, once the plane takes writes. */
  async startWriter(): Promise<void> {
    const writes = async () => {
      const { code } = await this.#inPlane(['get', 'serviceaccount', 'default'])
      return code === 0
    }
    await waitFor(writes, { what: `"${this.name}" to serve`, timeoutMs: SERVING_MS })
    this.#writer ??= await startWriter(this.cli, this.at, { perSecond: WRITES_PER_SECOND })
  }

  async stopWriter(): Promise<void> {
    await this.#writer?.stop()
    this.#writer = undefined
  }

  /** Waits until the plane takes another write, and returns those it has lost, and how many it has acknowledged. */
  async losses(): Promise<{ acknowledged: number; lost: string[] }> {
    const writer = this.#writer
    if (writer === undefined) {
      return { acknowledged: 0, lost: [] }
    }
    const { length } = await writer.soFar()
    await waitFor(async () => (await writer.soFar()).length > length, {
      what: `another write that "${this.name}" acknowledges`,
      timeoutMs: SERVING_MS,
    })
    const taken = await writer.soFar()
    return { acknowledged: taken.length, lost: await this.lost(taken) }
  }

  /** What is not so of that which the status of the ControlPlane says; nothing while that changes. */
  async untruths(): Promise<string[]> {
    const before = await this.resource()
    if (before === undefined || isLeaving(before)) {
      return []
    }
    const faults = await this.#faults(before)
    const after = await this.resource()
    if (after === undefined || claimOf(after) !== claimOf(before)) {
      return []
    }
    if (isReady(after)) {
      return faults.map((fault) => `${this.name} is said to be ready, but ${fault}`)
    }
    const isAtWork = conditionOf(after, 'Progressing')?.['status'] === 'True'
    const isPaused = fieldAt(after, 'spec', 'paused') === true
    return faults.length > 0 || isAtWork || isPaused
      ? []
      : [`${this.name} is ready, but its status is ${claimOf(after)}`]
  }

  /** What keeps the plane from being as its ControlPlane says. */
  async unsettled(): Promise<string[]> {
    const resource = await this.resource()
    if (resource === undefined) {
      return [`${this.name} has no ControlPlane`]
    }
    const isPaused = fieldAt(resource, 'spec', 'paused') === true
    const reason = conditionOf(resource, 'Ready')?.['reason']
    const isSaid = isPaused ? reason === 'Paused' && isCurrent(resource) : isReady(resource)
    const faults = await this.#faults(resource)
    return [...(isSaid ? [] : [`its status is ${claimOf(resource)}`]), ...faults]
  }

  async #faults(resource: KubeObject): Promise<string[]> {
    const flags = ['--namespace', this.namespace, '--selector', `vplane.dev/name=${this.name}`]
    const { items }: { items: KubeObject[] } = await this.cli.hostJson(['get', 'pods', ...flags])
    const pods = items.filter((pod) => !isLeaving(pod))
    if (fieldAt(resource, 'spec', 'paused') === true) {
      return pods.length === 0 ? [] : [`it has ${pods.length} pods`]
    }
    const differing = podFaults(resource, pods)
    const { code, stdout } = await this.#inPlane(['get', '--raw', '/readyz'])
    return code === 0 && stdout === 'ok' ? differing : [...differing, 'its API does not answer']
  }

  #inPlane(args: readonly string[]) {
    const kubectl = ['kubectl', '--request-timeout=10s', ...args]
    return this.cli.run(['connect', ...this.at, '--', ...kubectl])
  }
}

const COMPONENTS = [
  ['etcd', 'etcd'],
  ['kube-apiserver', 'apiServer'],
  ['kube-controller-manager', 'controllerManager'],
] as const

/** In what the pods of a plane differ from the spec of its ControlPlane. */
function podFaults({ spec }: KubeObject, pods: readonly KubeObject[]): string[] {
  return COMPONENTS.flatMap(([component, field]) => {
    const own = pods.filter(
      ({ metadata }) => metadata.labels?.['vplane.dev/component'] === component,
    )
    const count = Number(fieldAt(spec, field, 'replicas') ?? 1)
    const flags = Object.entries(fieldAt(spec, field, 'extraArgs') ?? {})
    const version = component === 'etcd' ? undefined : textAt(spec, 'version')
    const differing = own.filter((pod) => {
      const text = JSON.stringify(pod['spec'])
      const isVersion = version === undefined || text.includes(`:v${version}.`)
      return !isVersion || flags.some(([flag, value]) => !text.includes(`--${flag}=${value}`))
    })
    return [
      ...(own.length === count ? [] : [`${own.length} pods of ${component}, not ${count}`]),
      ...differing.map(({ metadata }) => `${metadata.name} is not as the spec says`),
      ...own
        .filter((pod) => !isReadyPod(pod))
        .map(({ metadata }) => `${metadata.name} is not ready`),
    ]
  })
}

/** Whether the status is about the spec that the ControlPlane has now. */
function isCurrent(resource: KubeObject): boolean {
  return (
    fieldAt(resource, 'status', 'observedGeneration') === fieldAt(resource.metadata, 'generation')
  )
}

function isReady(resource: KubeObject): boolean {
  return isCurrent(resource) && conditionOf(resource, 'Ready')?.['status'] === 'True'
}

/** What a ControlPlane says of itself, as one text. */
function claimOf(resource: KubeObject): string {
  const claims = (['Ready', 'Progressing'] as const).map((type) => {
    const { message, reason, status } = conditionOf(resource, type) ?? {}
    return `${type}=${String(status)} (${String(reason)}: ${String(message)})`
  })
  return `${isCurrent(resource) ? 'current' : 'outdated'}, ${claims.join(', ')}`
}
