import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { waitFor } from '../../src/shared/wait.ts'
import { type Cli, createCli, type RunningCommand } from '../support/cli/cli.ts'
import { goProgram } from '../support/programs/go-program.ts'

describe('a controller that is written with controller-runtime', () => {
  let cli: Cli
  let controller: string
  const kubectl = (...args: string[]) => cli.ok(['connect', 'dev', '--', 'kubectl', ...args])
  const greetingOf = (name: string) =>
    kubectl('get', 'configmap', name, '-o', 'jsonpath={.data.greeting}')

  beforeAll(async () => {
    cli = await createCli()
    controller = await goProgram('controller')
    await cli.ok(['create', 'dev'])
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test.for([
    ['the credentials that connect gives a command', false],
    ['the context that connect writes', true],
  ] as const)('reconciles with %s', async ([_what, usesContext]) => {
    const name = usesContext ? 'context' : 'command'
    await kubectl('create', 'configmap', `before-${name}`, '--from-literal=name=Ada')
    if (usesContext) {
      await cli.ok(['connect', 'dev'])
    }

    await using running = stoppable(
      usesContext
        ? cli.start([], { program: controller })
        : cli.start(['connect', 'dev', '--', controller]),
    )
    await expectGreeting(`before-${name}`, 'Hello, Ada')
    await kubectl('create', 'configmap', `after-${name}`, '--from-literal=name=Grace')
    await expectGreeting(`after-${name}`, 'Hello, Grace')
    await kubectl('patch', 'configmap', `after-${name}`, '--patch={"data":{"name":"Linus"}}')
    await expectGreeting(`after-${name}`, 'Hello, Linus')
    const holder = await kubectl('get', 'lease', 'greeter', '-o', 'jsonpath={.spec.holderIdentity}')
    running.child.kill('SIGTERM')
    const { code, stderr } = await running.ended

    expect(holder).not.toBe('')
    expect(code, stderr).toBe(0)
  })

  async function expectGreeting(name: string, greeting: string): Promise<void> {
    await waitFor(async () => (await greetingOf(name)) === greeting, {
      what: `"${greeting}" in "${name}"`,
      timeoutMs: 60_000,
    })
  }
})

/** Ends with the test, also when that fails. */
function stoppable(running: RunningCommand): RunningCommand & AsyncDisposable {
  return {
    ...running,
    [Symbol.asyncDispose]: async () => {
      running.child.kill('SIGTERM')
      await running.ended
    },
  }
}
