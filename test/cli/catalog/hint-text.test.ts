import { expect, test } from 'vitest'
import { commandOf, flagOf, hintText, hintTexts } from '../../../src/cli/catalog/hint-text.ts'
import { type Action, ACTIONS, type Hint } from '../../../src/shared/hint.ts'
import { allCommands } from '../../commands/all-commands.ts'

const DEV = { name: 'dev', namespace: 'team' }

test.for<[Hint, string]>([
  ['the same command continues', 'the same command continues'],
  [{ action: 'list' }, 'vplane list'],
  [{ action: 'repair', plane: DEV }, 'vplane repair dev --namespace team'],
  [{ action: 'logs', plane: { name: 'dev' }, what: 'etcd' }, 'vplane logs dev etcd'],
  [
    { action: 'take-snapshot', bundle: true, output: 'FILE' },
    'vplane snapshot create --bundle --output FILE',
  ],
  [
    { purpose: 'to keep it where it was', action: 'move', plane: DEV, abort: true },
    'to keep it where it was: vplane move dev --namespace team --abort',
  ],
  [
    { action: 'connect', plane: { name: 'dev' }, command: 'kubectl get pods' },
    'vplane connect dev -- kubectl get pods',
  ],
  [{ hostContext: 'my play', namespace: undefined }, "--host-context 'my play'"],
  [
    { purpose: 'for none', syncNodes: false, syncClasses: false },
    'for none: leave out --sync-nodes and --sync-classes',
  ],
])('says %j on the command line', ([hint, text]) => {
  expect(hintText(hint)).toBe(text)
})

test('says the same once', () => {
  const hint: Hint = { action: 'resume', plane: DEV }

  expect(hintTexts([hint, 'wait', { ...hint }, 'wait'])).toEqual([hintText(hint), 'wait'])
})

test('has a command for every action, and a flag for each of its options', async () => {
  const commands = new Map((await allCommands()).map((command) => [command.id, command]))
  const unknown = Object.entries(ACTIONS).flatMap(([action, options]) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of an object that is written down here
    const command = commands.get(commandOf(action as Action).replaceAll(' ', ':'))
    const flags = Object.entries(command?.flags ?? {}).flatMap(([name, { allowNo }]) =>
      allowNo === true ? [name, `no-${name}`] : [name],
    )
    const missing = options.split(' ').filter((option) => !flags.includes(flagOf(option).slice(2)))
    return command === undefined ? [action] : missing.filter((option) => option !== '')
  })

  expect(unknown).toEqual([])
})
