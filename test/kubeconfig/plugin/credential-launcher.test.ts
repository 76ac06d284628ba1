import { spawnSync } from 'node:child_process'
import { chmod, mkdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { refreshCredentialLauncher } from '../../../src/kubeconfig/plugin/credential-launcher.ts'
import { writeCredentialLauncher } from '../../../src/kubeconfig/plugin/credential-launcher.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const SAY_ARGUMENTS = '#!/bin/sh\nname=$0; printf "%s:" "${name##*/}"; printf "[%s]" "$@"\n'

test('starts the vplane that wrote it, with the arguments as they are', async () => {
  const place = await temporaryPlace()
  await place.program("bin with ' quote/node")
  await place.program('lib/vplane.js')

  await writeCredentialLauncher(place.launcher, {
    node: join(place.root, "bin with ' quote/node"),
    script: join(place.root, 'lib/vplane.js'),
  })

  expect(place.run(['local', 'a b', '"$x" *'])).toMatchObject({
    status: 0,
    stdout: `node:[${place.root}/lib/vplane.js][credential][local][a b]["$x" *]`,
  })
})

test.for(['node', 'script'])('starts the vplane on PATH when the %s is gone', async (gone) => {
  const place = await temporaryPlace()
  const target = { node: join(place.root, 'bin/node'), script: join(place.root, 'lib/vplane.js') }
  await place.program('bin/node')
  await place.program('lib/vplane.js')
  await place.program('path/vplane')

  await writeCredentialLauncher(place.launcher, { ...target, [gone]: '/nonexistent' })

  const stdout = 'vplane:[credential][local][dev]'
  expect(place.run(['local', 'dev'])).toMatchObject({ status: 0, stdout })
})

test.for([
  ['VPLANE_HOME', { VPLANE_HOME: "/a'b c" }],
  ['the variables of XDG', { XDG_DATA_HOME: '/data', XDG_CACHE_HOME: '/cache' }],
  ['no variable', {}],
] as const)(
  'starts vplane with the folders of %s, wherever the client looks',
  async ([, folders]) => {
    const place = await temporaryPlace()
    await place.program('path/vplane', '#!/bin/sh\nexec /usr/bin/env\n')
    const others = { VPLANE_HOME: '/other', XDG_DATA_HOME: '/other', XDG_CONFIG_HOME: '/other' }

    const gone = { node: '/nonexistent', script: '/nonexistent' }
    await writeCredentialLauncher(place.launcher, { ...gone, folders })

    for (const environment of [{}, others]) {
      const { stdout } = place.run(['local', 'dev'], environment)
      const variables = stdout.split('\n').filter((line) => /^(VPLANE|XDG)_/.test(line))
      expect(variables.sort()).toEqual(
        Object.entries(folders)
          .map((pair) => pair.join('='))
          .sort(),
      )
    }
  },
)

test('prints how to install vplane when none exists any more', async () => {
  const place = await temporaryPlace()

  await writeCredentialLauncher(place.launcher, { node: '/nonexistent', script: '/nonexistent' })

  expect(place.run(['local', 'dev'])).toMatchObject({
    status: 1,
    stdout: '',
    stderr:
      'vplane is not installed any more, and this context needs it: npm install --global vplane\n',
  })
})

test('is for its owner alone, and written only when it would change', async () => {
  const place = await temporaryPlace()
  await writeCredentialLauncher(place.launcher, { node: '/n', script: '/s' })
  expect((await stat(place.launcher)).mode & 0o777).toBe(0o700)
  expect((await stat(join(place.launcher, '..'))).mode & 0o777).toBe(0o700)
  await utimes(place.launcher, 1, 1)

  await writeCredentialLauncher(place.launcher, { node: '/n', script: '/s' })
  expect((await stat(place.launcher)).mtimeMs).toBe(1000)

  await writeCredentialLauncher(place.launcher, { node: '/n', script: '/other' })
  expect(await readFile(place.launcher, 'utf8')).toContain("script='/other'")
})

test('is updated where it exists, and not created anywhere else', async () => {
  const place = await temporaryPlace()

  await refreshCredentialLauncher(place.launcher, { node: '/n', script: '/s' })
  await expect(stat(place.launcher)).rejects.toThrow('ENOENT')
  await writeCredentialLauncher(place.launcher, { node: '/n', script: '/s' })
  await refreshCredentialLauncher(place.launcher, { node: '/n', script: '/newer' })

  expect(await readFile(place.launcher, 'utf8')).toContain("script='/newer'")
})

test('ignores a launcher that cannot be updated', async () => {
  const place = await temporaryPlace()
  await mkdir(place.launcher, { recursive: true })

  const refreshing = refreshCredentialLauncher(place.launcher, { node: '/n', script: '/s' })

  await expect(refreshing).resolves.toBeUndefined()
})

async function temporaryPlace() {
  const root = await temporaryFolder()
  const launcher = join(root, 'data/bin/vplane-credential')
  await mkdir(join(root, 'path'))
  return {
    root,
    launcher,
    /** Puts a program there, which by default prints its name and arguments. */
    program: async (path: string, text = SAY_ARGUMENTS) => {
      await mkdir(join(root, path, '..'), { recursive: true })
      await writeFile(join(root, path), text)
      await chmod(join(root, path), 0o755)
    },
    run: (args: readonly string[], environment: Record<string, string> = {}) => {
      const env = { PATH: `${root}/path`, ...environment }
      const { status, stderr, stdout } = spawnSync(launcher, args, { env, encoding: 'utf8' })
      return { status, stderr, stdout }
    },
  }
}
