import { expect, test } from 'vitest'
import Version from '../../src/commands/version.ts'
import { packageVersion } from '../../src/shared/package-root.ts'
import { runCommandClass } from '../cli/run-command-class.ts'

test('prints the versions of vplane, Node and Kubernetes', async () => {
  const { stdout } = await runCommandClass(Version, [])

  expect(stdout).toContain(`vplane      ${packageVersion()} (`)
  expect(stdout).toContain(`Node.js ${process.versions.node}`)
  expect(stdout).toMatch(/^Kubernetes {2}1\.\d+\.\d+, also 1\./m)
})

test('gives them to scripts', async () => {
  const { stdout, result } = await runCommandClass(Version, ['--json'])

  expect(JSON.parse(stdout)).toEqual(result)
  expect(result).toMatchObject({
    version: packageVersion(),
    kubernetes: { known: expect.arrayContaining([result?.kubernetes.default]) },
  })
})
