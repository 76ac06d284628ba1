import { expect, test } from 'vitest'
import { takeBusyMachine } from '../support/machine/busy-machine.ts'
import { createCli } from '../support/cli/cli.ts'
import { listeningSockets } from '../support/machine/listening-sockets.ts'

/** `npm run soak:scale` asks for fifty. */
const COUNT = Number(process.env['VPLANE_PLANES_AT_ONCE'] ?? 20)
/** On two cores, which start three processes for each plane meanwhile. */
const TIMEOUT_MS = COUNT * 30_000

takeBusyMachine()

test(
  `${COUNT} planes of different names that are created at once are all ready`,
  { timeout: 2 * TIMEOUT_MS },
  async () => {
    await using cli = await createCli()
    const names = Array.from({ length: COUNT }, (_, index) => `dev-${index}`)

    const results = await Promise.all(
      names.map((name) =>
        cli.run(['create', name, '--ephemeral', '--timeout', `${TIMEOUT_MS / 1000}s`]),
      ),
    )

    for (const { code, stderr } of results) {
      expect(code, stderr).toBe(0)
    }
    const statuses = async () => {
      const planes: Array<{ status: string }> = (await cli.json(['list', '--json'])).items
      return planes.map(({ status }) => status)
    }
    // On a busy machine one look may get no answer in time.
    await expect
      .poll(statuses, { timeout: TIMEOUT_MS / 5, interval: 1000 })
      .toEqual(names.map(() => 'Ready'))
    const sockets = listeningSockets(cli.processes().map(({ id }) => id))
    expect(new Set(sockets.map(({ port }) => port)).size).toBe(4 * COUNT)

    await cli.ok(['delete', ...names, '--yes'])
    expect(cli.processes()).toEqual([])
    expect(cli.files()).toEqual([])
  },
)

test('one plane comes of five that are created at once with the same name', async () => {
  await using cli = await createCli()

  const results = await Promise.all(
    Array.from({ length: 5 }, () => cli.run(['create', 'same', '--json'])),
  )

  for (const { code, stderr, stdout } of results) {
    expect(code, `${stdout}${stderr}`).toBe(0)
  }
  const servers = results.map(({ stdout }) => JSON.parse(stdout).server)
  expect(new Set(servers).size).toBe(1)
  expect(cli.processes()).toHaveLength(3)
})

test('of two planes of one name with different specs one is refused', async () => {
  await using cli = await createCli()

  const results = await Promise.all([
    cli.run(['create', 'either', '--ephemeral']),
    cli.run(['create', 'either', '--set', 'apiGroups=lean']),
  ])

  const codes = results.map(({ code }) => code)
  expect(new Set(codes)).toEqual(new Set([0, 4]))
  const refused = results.find(({ code }) => code === 4)
  expect(refused?.stderr).toContain('a control plane named "either" exists with another spec')
})
