import type { Lab } from '../../../lab/lab.ts'
import { createHostCli, type HostCli } from '../host-cli.ts'

/** A plane that runs pods, in a host namespace of its own. It goes with its namespace. */
export interface SyncedPlane extends AsyncDisposable {
  /** Its kubeconfig leads to the plane. */
  cli: HostCli
  /** The flags that name the host namespace. */
  place: string[]
  /** Runs kubectl in the plane, which must end well, and returns what it printed. */
  ok(...args: string[]): Promise<string>
  /** Applies objects in the plane. */
  apply(...items: object[]): Promise<void>
  /** Runs kubectl in the host namespace, which must end well, and returns what it printed. */
  onHost(...args: string[]): Promise<string>
}

/**
 * @param flags of `create` besides
 * @param options `lab`: by default the one that all files of tests share
 */
export async function createSyncedPlane(
  flags: readonly string[] = [],
  options: { lab?: Lab } = {},
): Promise<SyncedPlane> {
  await using stack = new AsyncDisposableStack()
  const cli = stack.use(await createHostCli(options))
  const place = ['--namespace', cli.newNamespace()]
  await cli.ok(['create', 'dev', ...place, '--ephemeral', '--sync', ...flags])
  await cli.ok(['connect', 'dev', ...place])
  const owned = stack.move()
  return {
    cli,
    place,
    ok: (...args) => cli.kubectlOk(args),
    apply: async (...items) => {
      const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
      await cli.kubectlOk(['apply', '--filename', '-'], { input })
    },
    onHost: (...args) => cli.host([...args, ...place]),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
