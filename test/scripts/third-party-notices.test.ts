import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { chosenLicenses } from '../../scripts/build/licenses.ts'
import { packageFolders, thirdPartyNotices } from '../../scripts/build/third-party-notices.ts'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'vplane-notices-'))
})

afterEach(() => {
  rmSync(root, { recursive: true })
})

describe('the notices', () => {
  test('name each bundled package once, with version, license and the text of its files', () => {
    install('b', { license: 'MIT' }, { LICENSE: 'Copyright B', 'NOTICE.txt': 'B says more' })
    install('@scope/a', { license: 'ISC' }, { 'license.md': 'Copyright A' })

    const notices = thirdPartyNotices(
      root,
      metafile({
        'node_modules/b/index.js': 10,
        'node_modules/b/lib/more.js': 10,
        'node_modules/@scope/a/index.js': 10,
        'src/own.ts': 10,
      }),
    )

    expect(notices).toMatch(/these 2 packages/)
    expect(notices.match(/^License: /gm)).toHaveLength(2)
    expect(notices).toContain('@scope/a 1.2.3\nLicense: ISC\n\nCopyright A\n')
    expect(notices).toContain('b 1.2.3\nLicense: MIT\n\nCopyright B\n\nB says more\n')
    expect(notices.indexOf('@scope/a')).toBeLessThan(notices.indexOf('b 1.2.3'))
  })

  test('have a text that several packages share once, with the first of them', () => {
    install('a', { license: 'MIT' }, { LICENSE: 'the text' })
    install('b', { license: 'MIT' }, { LICENSE: 'the text', NOTICE: 'B says more' })

    const notices = noticesOf('a', 'b')

    expect(notices.match(/^the text$/gm)).toHaveLength(1)
    expect(notices).toContain('License: MIT\n\n(the same text as for a 1.2.3)\n\nB says more\n')
  })

  test('say which license of several is used', () => {
    install('forge', { license: '(BSD-3-Clause OR GPL-2.0)' }, { LICENSE: 'text' })

    const notices = noticesOf('forge')

    expect(notices).toContain('License: (BSD-3-Clause OR GPL-2.0)\nUsed under: BSD-3-Clause\n')
  })

  test('take a package without a license file when its author gave all rights up', () => {
    install('free', { license: 'Unlicense' }, {})

    expect(noticesOf('free')).toContain('(the package carries no license file)')
  })

  test('take the license of a package from its README, if that has all of it', () => {
    const text = 'Copyright (c) A\n\nPermission is hereby granted, free of charge'
    install('a', { license: 'MIT' }, { 'README.md': `# a\n\nUse it.\n\n## License\n\n${text}\n` })
    install('b', { license: 'MIT' }, { 'README.md': '# b\n\n## License\n\nMIT\n' })

    expect(noticesOf('a')).toContain(`a 1.2.3\nLicense: MIT\n\n${text}\n`)
    expect(() => noticesOf('a', 'b')).toThrow('"b" 1.2.3 has the license "MIT" and no file')
  })

  test('give a package that forgot the text of its license that of its repository', () => {
    const repository = { url: 'https://example.com/sdk.git' }
    install('part', { license: 'Apache-2.0', repository }, {})
    install('whole', { license: 'Apache-2.0', repository }, { LICENSE: 'Apache text' })

    expect(noticesOf('part', 'whole')).toContain('part 1.2.3\nLicense: Apache-2.0\n\nApache text\n')
  })

  test('are not written while any package may not be shipped, and name all of them', () => {
    install('none', {}, { LICENSE: 'text' })
    install('odd', { license: 'SSPL-1.0' }, { LICENSE: 'text' })
    install('bare', { license: 'MIT' }, {})
    install('empty', { license: 'MIT' }, { LICENSE: ' \n' })
    install('good', { license: 'MIT' }, { LICENSE: 'text' })

    const write = () => noticesOf('none', 'odd', 'bare', 'empty', 'good')

    expect(write).toThrow(/"none" 1\.2\.3 says no license/)
    expect(write).toThrow(/"odd" 1\.2\.3 has the license "SSPL-1\.0", which is not in the list/)
    expect(write).toThrow(/"bare" .* no file with its text/)
    expect(write).toThrow(/"empty" .* no file with its text/)
    expect(write).not.toThrow(/"good"/)
  })
})

test('only packages that gave bytes to the bundle count, nested ones as their own', () => {
  const folders = packageFolders(
    metafile({
      'node_modules/used/node_modules/inner/a.js': 3,
      'node_modules/used/a.js': 3,
      'node_modules/dropped/a.js': 0,
      'src/a.ts': 9,
    }),
  )

  expect(folders).toEqual(['node_modules/used', 'node_modules/used/node_modules/inner'])
})

test.for([
  ['MIT', ['MIT']],
  ['(MIT OR GPL-3.0-only)', ['MIT']],
  ['GPL-3.0-only OR Apache-2.0', ['Apache-2.0']],
  ['MIT AND ISC', ['MIT', 'ISC']],
  ['MIT AND GPL-3.0-only', undefined],
  ['GPL-3.0-only', undefined],
  ['UNLICENSED', undefined],
  ['SEE LICENSE IN LICENSE.md', undefined],
  // Nothing here reads nested expressions; not to understand one must not allow it.
  ['MIT AND (GPL-3.0-only OR AGPL-3.0)', undefined],
] as const)('of the license "%s" we use %j', ([expression, chosen]) => {
  expect(chosenLicenses(expression)).toEqual(chosen)
})

function install(name: string, manifest: object, files: Record<string, string>): void {
  const folder = join(root, 'node_modules', name)
  mkdirSync(folder, { recursive: true })
  const all = { ...files, 'package.json': JSON.stringify({ name, version: '1.2.3', ...manifest }) }
  for (const [file, text] of Object.entries(all)) {
    writeFileSync(join(folder, file), text)
  }
}

/** The notices for a bundle of these packages. */
function noticesOf(...names: string[]): string {
  const inputs = names.map((name) => [`node_modules/${name}/index.js`, 1])
  return thirdPartyNotices(root, metafile(Object.fromEntries(inputs)))
}

/** esbuild's account of one output made of these inputs, with the bytes each gave. */
function metafile(bytes: Record<string, number>): Metafile {
  const inputs = Object.entries(bytes).map(([path, bytesInOutput]) => [path, { bytesInOutput }])
  const output = { bytes: 1, exports: [], imports: [], inputs: Object.fromEntries(inputs) }
  return { inputs: {}, outputs: { 'dist/a.js': output } }
}
