import type { Operation } from '../../control-plane/driver/operation.ts'
import type { PlaneTools, WantedTools } from '../../control-plane/driver/plane-tools.ts'
import type { StartContext } from './components/start-context.ts'

/** Gets the programs of planes of this machine. */
export class LocalTools implements PlaneTools {
  readonly #context: StartContext

  constructor(context: StartContext) {
    this.#context = context
  }

  async ensure(
    { forRestore = false, ...wanted }: WantedTools,
    operation: Operation,
  ): Promise<void> {
    if (forRestore) {
      await this.#context.findEtcdutl(wanted, operation)
    }
    await this.#context.findBinaries(wanted, operation)
  }
}
