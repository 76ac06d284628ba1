import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { fieldAt, recordsAt } from '../../../src/shared/json-fields.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { killContainer } from '../../support/host/damage/kill-container.ts'
import { type HostCli, RESTRICTED } from '../../support/host/host-cli.ts'
import { DeclaredPlane } from './declared-plane.ts'
import type { Kill } from './plan-operator-rounds.ts'

/** All kinds of which planes have objects. */
const KINDS =
  'controlplanes,pods,services,secrets,configmaps,deployments,statefulsets,replicasets,persistentvolumeclaims,roles,rolebindings,serviceaccounts,networkpolicies,poddisruptionbudgets,leases'

/** What a namespace has by itself. */
const OWN_OBJECTS = ['configmap/kube-root-ca.crt', 'serviceaccount/default']

/** How often a container may be killed: after more, the kubelet waits longer and longer before it starts again. */
const MOST_RESTARTS = 1

const VICTIM_MS = 20_000
const END_MS = 180_000

/** An operator, a namespace with its planes, and what can happen to them. */
export class OperatorWorld {
  readonly cli: HostCli
  readonly namespace: string
  readonly #operator: string
  readonly planes: DeclaredPlane[] = []
  #count = 0

  private constructor(cli: HostCli, place: { namespace: string; operator: string }) {
    this.cli = cli
    this.namespace = place.namespace
    this.#operator = place.operator
  }

  /** Installs an operator for one namespace of planes. */
  static async create(cli: HostCli): Promise<OperatorWorld> {
    const operator = await cli.makeNamespace(RESTRICTED)
    const namespace = await cli.makeNamespace(RESTRICTED)
    await cli.ok(['operator', 'install', '--namespace', operator])
    return new OperatorWorld(cli, { namespace, operator })
  }

  /** A plane that does not exist yet. */
  newPlane(): DeclaredPlane {
    this.#count += 1
    const plane = new DeclaredPlane(this.cli, this.namespace, `plane-${this.#count}`)
    this.planes.push(plane)
    return plane
  }

  /** Deletes the ControlPlane of a plane, whose end `untilGone` waits for. */
  async startDeletion(plane: DeclaredPlane): Promise<void> {
    await plane.stopWriter()
    const flags = ['--namespace', this.namespace, '--ignore-not-found', '--wait=false']
    await this.cli.host(['delete', `vcp/${plane.name}`, ...flags])
  }

  /** Waits until nothing of a plane is left. */
  async untilGone(plane: DeclaredPlane): Promise<void> {
    const flags = ['--selector', `vplane.dev/name=${plane.name}`, '--namespace', this.namespace]
    let left: string[] = []
    const isGone = async () => {
      const objects = await this.#names([KINDS, ...flags])
      const own = await this.#names([`vcp/${plane.name}`, '--namespace', this.namespace])
      left = [...objects, ...own, ...(await this.#volumes(`-vplane-${plane.name}-`))]
      return left.length === 0
    }
    await this.#until(isGone, () => `the end of "${plane.name}", of which is left: ${left.join()}`)
    this.planes.splice(this.planes.indexOf(plane), 1)
  }

  /** Deletes all planes, whatever their state is. */
  async clear(): Promise<void> {
    for (const plane of this.planes.slice()) {
      await this.startDeletion(plane)
      await this.cli.run(['delete', ...plane.at, '--yes', '--ignore-not-found'])
      await this.untilGone(plane)
    }
  }

  /** What is left in the namespace of the planes, and of their volumes. */
  async remains(): Promise<string[]> {
    const objects = await this.#names([KINDS, '--namespace', this.namespace])
    const cluster = ['--selector', `vplane.dev/namespace=${this.namespace}`]
    const others = await this.#names(['clusterroles,clusterrolebindings', ...cluster])
    const own = objects.filter((name) => !OWN_OBJECTS.includes(name))
    return [...own, ...others, ...(await this.#volumes(''))]
  }

  /** Kills a victim, and returns what it was; undefined when none ran for a while. */
  async kill({ pick, victim, way }: Kill): Promise<string | undefined> {
    const isOperator = victim === 'operator'
    const place = ['--namespace', isOperator ? this.#operator : this.namespace]
    const selector = isOperator ? [] : ['--selector', `vplane.dev/component=${victim}`]
    const flags = [...place, ...selector]
    const strike = async () => {
      const found: { items: KubeObject[] } = await this.cli.hostJson(['get', 'pods', ...flags])
      const running = found.items.flatMap(containersOf)
      const container = running[Math.floor(pick * running.length)]
      if (container === undefined) {
        return undefined
      }
      const isKilled = way === 'killed' && container.restarts < MOST_RESTARTS
      if (isKilled && killContainer(container.id) > 0) {
        return `${container.pod} killed`
      }
      const now = ['--grace-period=0', '--force', '--ignore-not-found', '--wait=false']
      await this.cli.host(['delete', `pod/${container.pod}`, ...place, ...now])
      return `${container.pod} deleted`
    }
    try {
      const what = `a ${victim} to kill`
      return await waitFor(strike, { what, timeoutMs: VICTIM_MS, intervalMs: 200 })
    } catch {
      return undefined
    }
  }

  /** The last lines of the operator, for someone who looks for the reason of a failure. */
  async log(): Promise<string> {
    const flags = ['--namespace', this.#operator, '--tail=60']
    return this.cli.host(['logs', 'deployment/vplane-operator', ...flags])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.clear()
    await this.cli.run(['operator', 'uninstall', '--namespace', this.#operator, '--yes'])
  }

  async #names(words: readonly string[]): Promise<string[]> {
    const text = await this.cli.host(['get', ...words, '--ignore-not-found', '--output', 'name'])
    return text.split('\n').filter((name) => name !== '')
  }

  /** The volumes of claims in the namespace whose names have a part. */
  async #volumes(part: string): Promise<string[]> {
    const { items }: { items: KubeObject[] } = await this.cli.hostJson(['get', 'pv'])
    return items
      .filter(({ spec }) => fieldAt(spec, 'claimRef', 'namespace') === this.namespace)
      .filter(({ spec }) => String(fieldAt(spec, 'claimRef', 'name')).includes(part))
      .map(({ metadata }) => `persistentvolume/${metadata.name}`)
  }

  async #until(condition: () => Promise<boolean>, what: () => string): Promise<void> {
    try {
      await waitFor(condition, { what: '', timeoutMs: END_MS, intervalMs: 500 })
    } catch (error) {
      throw new Error(`gave up waiting for ${what()}`, { cause: error })
    }
  }
}

/** The containers of a pod that run. */
function containersOf({ metadata, status }: KubeObject) {
  return recordsAt(status, 'containerStatuses')
    .filter((container) => fieldAt(container, 'state', 'running') !== undefined)
    .map((container) => ({
      id: String(container['containerID']),
      restarts: Number(container['restartCount']),
      pod: String(metadata.name),
    }))
}
