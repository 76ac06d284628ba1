import { expect, test, vi } from 'vitest'
import { fastList } from '../../../src/cli/fast-path/fast-list.ts'
import { keptPlane } from '../../support/cli/kept-plane.ts'
import { homeForEachTest } from '../temporary-home.ts'

homeForEachTest()

/** What a call writes to stdout and stderr. */
async function written(call: () => Promise<unknown>): Promise<{ out: string; err: string }> {
  const text = { out: '', err: '' }
  const listen = (stream: NodeJS.WriteStream, name: 'out' | 'err') =>
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      text[name] += String(chunk)
      return true
    })
  const spies = [listen(process.stdout, 'out'), listen(process.stderr, 'err')]
  await call()
  spies.forEach((spy) => spy.mockRestore())
  return text
}

test('says how to make a plane when there is none, by the name that vplane was called', async () => {
  const people = await written(() => fastList(['ls'], 'kubectl vplane'))
  const scripts = await written(() => fastList(['list', '--json'], 'vplane'))

  expect(people).toEqual({
    out: '',
    err: 'There are no control planes: kubectl vplane create NAME creates one.\n',
  })
  expect(JSON.parse(scripts.out)).toEqual({ items: [] })
  expect(scripts.err).toBe('')
})

test('shows the planes there are', async () => {
  await using plane = await keptPlane()
  vi.stubEnv('VPLANE_HOME', plane.home)

  const { err, out } = await written(() => fastList(['list'], 'vplane'))

  expect(out).toMatch(/^NAME +DRIVER .*\ndev +local /)
  expect(err).toBe('')
})

test('looks at planes of one namespace alone', async () => {
  await using plane = await keptPlane()
  vi.stubEnv('VPLANE_HOME', plane.home)

  const all = await written(() => fastList(['list', '--all-namespaces', '--json'], 'vplane'))
  const some = await written(() => fastList(['list', '-n', 'team-a', '--json'], 'vplane'))

  expect(JSON.parse(all.out).items).toHaveLength(1)
  expect(JSON.parse(some.out)).toEqual({ items: [] })
})

test.for([
  'list --driver local',
  'list -o name',
  'list --help',
  'list --namespace',
  'list -A -n team-a',
  'list dev',
  'rm',
])('leaves "%s" to the framework', (line) => expectLeftAlone(line.split(' ')))

test('leaves mistakes in the settings to the framework', async () => {
  vi.stubEnv('VPLANE_DRIVER', 'docker')

  await expectLeftAlone(['list'])
})

/** Nothing is written, and the framework takes over. */
async function expectLeftAlone(words: string[]): Promise<void> {
  const { err, out } = await written(async () =>
    expect(await fastList(words, 'vplane')).toBe(false),
  )

  expect(out + err).toBe('')
}
