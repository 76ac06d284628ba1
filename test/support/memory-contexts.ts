import {
  type Endpoint,
  isSamePlane,
  type PlaneReference,
  referenceOf,
} from '../../src/control-plane/plane/plane.ts'
import type {
  ContextCertificate,
  Contexts,
  NewContext,
  RemovedContext,
  WrittenContext,
} from '../../src/control-plane/use-cases/access/contexts.ts'

/** Where the contexts would be. */
export const MEMORY_FILE = '/home/someone/.kube/config'

/** A kubeconfig's contexts in memory. */
export class MemoryContexts implements Contexts {
  readonly added: NewContext[] = []
  readonly moved: Endpoint[] = []
  /** CAs that contexts were made to trust. */
  readonly trusted: string[] = []
  /** Thrown by everything that reads or changes the file. @default nothing is */
  failure: Error | undefined
  isPluginWritten = false
  /** Contexts with client certificates that ended long ago. */
  ended: Array<{ context: string; plane: PlaneReference }> = []
  /** The context that is current and not of vplane. */
  current: string | undefined

  constructor({ current }: { current?: string } = {}) {
    this.current = current
  }

  async add(context: NewContext, _signal: AbortSignal): Promise<WrittenContext> {
    await this.#look()
    const previous = this.current
    const own = this.#indexOf(context.plane)
    this.added.splice(own === -1 ? this.added.length : own, 1)
    this.added.push(context)
    const written = { context: `vplane_${context.plane.name}`, file: MEMORY_FILE }
    return previous === undefined ? written : { ...written, previousContext: previous }
  }

  async move(plane: PlaneReference, endpoint: Endpoint, _signal: AbortSignal): Promise<boolean> {
    await this.#look()
    this.moved.push(endpoint)
    return this.#indexOf(plane) !== -1
  }

  async trust(plane: PlaneReference, certificateAuthority: string): Promise<boolean> {
    await this.#look()
    this.trusted.push(certificateAuthority)
    return this.#indexOf(plane) !== -1
  }

  async remove(
    plane: Parameters<Contexts['remove']>[0],
    _signal: AbortSignal,
  ): Promise<RemovedContext | undefined> {
    await this.#look()
    const index = this.#indexOf(plane)
    const { certificateAuthority: trusted } = this.added[index]?.endpoint ?? {}
    if (index === -1 || trusted !== (plane.certificateAuthority ?? trusted)) {
      return undefined
    }
    this.added.splice(index, 1)
    const removed = { context: `vplane_${plane.name}`, file: MEMORY_FILE }
    return this.current === undefined ? removed : { ...removed, currentContext: this.current }
  }

  async planes(): Promise<PlaneReference[]> {
    await this.#look()
    return this.added.map(({ plane }) => referenceOf(plane))
  }

  async certificates(): Promise<ContextCertificate[]> {
    await this.#look()
    return this.ended.map(({ context, plane }) => ({ context, plane, expiresAt: new Date(0) }))
  }

  async currentPlane(): Promise<PlaneReference | undefined> {
    await this.#look()
    const last = this.added.at(-1)
    return last && referenceOf(last.plane)
  }

  async hostContext(wanted?: string): Promise<string | undefined> {
    await this.#look()
    if (wanted !== undefined) {
      return wanted
    }
    const last = this.added.at(-1)
    return last === undefined ? this.current : last.plane.hostContext
  }

  async hostBehind(): Promise<string | undefined> {
    await this.#look()
    return this.added.at(-1)?.plane.hostContext ?? this.current
  }

  async writePlugin(): Promise<void> {
    this.isPluginWritten = true
  }

  render({ endpoint, plane, user }: NewContext): string {
    return `kubeconfig of ${plane.name} at ${endpoint.server} by ${user.kind}\n`
  }

  #look(): Promise<void> {
    return this.failure === undefined ? Promise.resolve() : Promise.reject(this.failure)
  }

  #indexOf(wanted: PlaneReference): number {
    return this.added.findIndex(({ plane }) => isSamePlane(plane, wanted))
  }
}
