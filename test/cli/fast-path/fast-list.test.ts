import { expect, test, vi } from 'vitest'
import { fastList } from '../../../src/cli/fast-path/fast-list.ts'
import { keptPlane } from '../../support/machine/kept-plane.ts'
import { temporaryHome } from '../temporary-home.ts'

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
  using home = temporaryHome()
  vi.stubEnv('VPLANE_HOME', home.root)
  vi.stubEnv('KUBECONFIG', `${home.root}/none`)

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
  vi.stubEnv('KUBECONFIG', `${plane.home}/none`)

  const { err, out } = await written(() => fastList(['list'], 'vplane'))

  expect(out).toMatch(/^NAME +DRIVER .*\ndev +local /)
  expect(err).toBe('')
})

test('looks at planes of one namespace alone', async () => {
  await using plane = await keptPlane()
  vi.stubEnv('VPLANE_HOME', plane.home)
  vi.stubEnv('KUBECONFIG', `${plane.home}/none`)

  const all = await written(() => fastList(['list', '--all-namespaces', '--json'], 'vplane'))
  const some = await written(() => fastList(['list', '-n', 'team-a', '--json'], 'vplane'))

  expect(JSON.parse(all.out).items).toHaveLength(1)
  expect(JSON.parse(some.out)).toEqual({ items: [] })
})

test.for([
  [['list', '--driver', 'local']],
  [['list', '-o', 'name']],
  [['list', '--help']],
  [['list', '--namespace']],
  [['list', '-A', '-n', 'team-a']],
  [['list', 'dev']],
  [['rm']],
])('leaves %j to the framework', async ([words = []]) => {
  const { err, out } = await written(async () =>
    expect(await fastList(words, 'vplane')).toBe(false),
  )

  expect(out + err).toBe('')
})

test('leaves mistakes in the settings to the framework', async () => {
  using home = temporaryHome()
  vi.stubEnv('VPLANE_HOME', home.root)
  vi.stubEnv('VPLANE_DRIVER', 'docker')

  const { err, out } = await written(async () =>
    expect(await fastList(['list'], 'vplane')).toBe(false),
  )

  expect(out + err).toBe('')
})
