import type { Cli } from '../cli/cli.ts'

/** A port of this machine that kubectl forwards until it is disposed. */
export interface ForwardedPort extends AsyncDisposable {
  /** `http://127.0.0.1:40123` */
  url: string
}

/** Forwards a port of a pod or a Service, such as `service/web`; `flags` are those of kubectl. */
export async function forwardedPort(
  cli: Pick<Cli, 'binaries' | 'start'>,
  target: string,
  { flags = [], port }: { port: number; flags?: readonly string[] },
): Promise<ForwardedPort> {
  const program = cli.binaries.kubectl
  const forward = cli.start(['port-forward', target, `:${port}`, ...flags], { program })
  await using stack = new AsyncDisposableStack()
  stack.defer(async () => {
    forward.child.kill()
    await forward.ended
  })
  const said = await forward.says('Forwarding from 127.0.0.1:')
  const [, local] = /127\.0\.0\.1:(\d+)/.exec(said) ?? []
  const owned = stack.move()
  return { url: `http://127.0.0.1:${local}`, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
