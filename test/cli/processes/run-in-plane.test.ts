import { EventEmitter } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { listenForInterrupts } from '../../../src/cli/processes/interrupts.ts'
import { ensureKubectl, runInPlane } from '../../../src/cli/processes/run-in-plane.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import { storedPlane } from '../../support/driver/some-planes.ts'
import { MemoryContexts } from '../../support/memory-contexts.ts'
import { RecordingUi } from '../../support/driver/recording-ui.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

test('leaves PATH alone when kubectl is on it', async () => {
  using place = placeWith()
  place.kubectl(0o755)

  expect(await place.run(['sh', '-c', 'echo "$PATH" > "$OUT"'])).toBe(0)

  expect(place.written()).toBe(`${place.path}\n`)
  expect(place.asked()).toBe(0)
})

test.for([
  ['there is none', undefined],
  ['it cannot be executed', 0o644],
  ['it is a folder', 'folder'],
] as const)('puts its own kubectl last on PATH when %s', async ([, kubectl]) => {
  using place = placeWith()
  if (kubectl === 'folder') {
    mkdirSync(join(place.path, 'kubectl'))
  } else if (kubectl !== undefined) {
    place.kubectl(kubectl)
  }

  expect(await place.run(['sh', '-c', 'echo "$PATH" > "$OUT"'])).toBe(0)

  expect(place.written()).toBe(`${place.path}:/managed/bin\n`)
})

test('runs a command that may not need kubectl when none can be got, and says so', async () => {
  using place = placeWith(() => Promise.reject(new VplaneError('FAILED', 'the network is away')))

  expect(await place.run(['sh', '-c', 'exit 5'])).toBe(5)

  expect(place.ui.warnings).toEqual([
    'kubectl is not on PATH, and vplane cannot get it: the network is away',
  ])
})

test('fails for want of kubectl when the command is kubectl', async () => {
  using place = placeWith(() => Promise.reject(new VplaneError('FAILED', 'the network is away')))

  expect((await rejectionOf(place.run(['kubectl', 'get', 'ns']))).message).toBe(
    'the network is away',
  )
})

test.for([
  ['kubectl', 1],
  ['sh', 0],
] as const)(
  'gets kubectl before a plane is created for %s as far as it needs it',
  async ([command, asked]) => {
    using place = placeWith()
    const { signal } = new AbortController()

    await ensureKubectl(place.dependencies, {
      command: [command],
      plane: storedPlane('dev'),
      signal,
    })

    expect(place.asked()).toBe(asked)
  },
)

test('ends what is shown of its own steps before the command starts', async () => {
  using place = placeWith()

  await place.run(['sh', '-c', 'cat "$OUT" > "$OUT.seen"'], () => place.write('finished'))

  expect(readFileSync(`${place.out}.seen`, 'utf8')).toBe('finished')
})

function placeWith(findKubectl = () => Promise.resolve('/managed/bin/kubectl')) {
  const root = mkdtempSync(join(tmpdir(), 'vplane-in-plane-'))
  const path = join(root, 'path')
  const out = join(root, 'out')
  const ui = new RecordingUi()
  const kubectl = vi.fn(findKubectl)
  mkdirSync(path)
  for (const name of ['sh', 'cat']) {
    symlinkSync(join('/bin', name), join(path, name))
  }
  vi.stubEnv('PATH', path)
  vi.stubEnv('OUT', out)
  return {
    path,
    out,
    ui,
    kubectl: (mode: number) => {
      writeFileSync(join(path, 'kubectl'), '#!/bin/sh\n')
      chmodSync(join(path, 'kubectl'), mode)
    },
    write: (text: string) => writeFileSync(out, text),
    written: () => readFileSync(out, 'utf8'),
    dependencies: { findKubectl: kubectl, ui },
    asked: () => kubectl.mock.calls.length,
    run: (command: readonly string[], finishSteps = () => {}) =>
      runInPlane(
        { contexts: new MemoryContexts(), findKubectl: kubectl, ui },
        {
          command,
          finishSteps,
          access: {
            server: 'https://127.0.0.1:1',
            certificateAuthority: '',
            certificate: '',
            key: '',
            expiresAt: new Date(0),
          },
          plane: storedPlane('dev'),
          interrupts: listenForInterrupts(Object.assign(new EventEmitter(), { exit: () => {} })),
        },
      ),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  }
}
