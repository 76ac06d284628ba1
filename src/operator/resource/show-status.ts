import { isDeepStrictEqual } from 'node:util'
import type { KubeClient } from '../../kube/client/client.ts'
import { unlessChanged } from '../../kube/cache/object-cache.ts'
import { objectPath } from '../../shared/kube/collections.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { silentUi, type Ui } from '../../shared/ui.ts'
import { type Observation, toResourceStatus } from './to-status.ts'

export interface StatusDependencies {
  host: Pick<KubeClient, 'replace'>
  now: () => Date
}

/** Writes the status of one ControlPlane, while and after it is reconciled. */
export class StatusWriter {
  readonly #deps: StatusDependencies
  #resource: KubeObject
  #writing: Promise<void> = Promise.resolve()

  constructor(deps: StatusDependencies, resource: KubeObject) {
    this.#deps = deps
    this.#resource = resource
  }

  /** Writes what was found, unless the status says it already. Another change of the ControlPlane leads to a new try. */
  async write(observation: Observation, signal: AbortSignal): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write(observation, signal))
    await this.#writing
  }

  /** Shows each step of the work on the plane. A step that cannot be shown does not stop the work. */
  progressUi(observation: Observation, signal: AbortSignal): Ui {
    const step = (text: string) => {
      this.write({ ...observation, work: text }, signal).catch(() => {})
    }
    return { ...silentUi, step }
  }

  async #write(observation: Observation, signal: AbortSignal): Promise<void> {
    const { host, now } = this.#deps
    const status = toResourceStatus(this.#resource, observation, now())
    if (isDeepStrictEqual(JSON.parse(JSON.stringify(status)), this.#resource['status'])) {
      return
    }
    const path = `${objectPath('controlplanes', this.#resource.metadata)}/status`
    const written = host.replace(path, { ...this.#resource, status }, { signal })
    this.#resource = (await unlessChanged(written)) ?? this.#resource
  }
}
