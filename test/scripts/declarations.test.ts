import { expect, test } from 'vitest'
import { rewriteSpecifiers } from '../../scripts/build/declarations.ts'

test.for([
  [`import { A } from './a.ts'`, `import { A } from './a.js'`],
  [`import type { A } from "../b/a.ts";`, `import type { A } from "../b/a.js";`],
  [`export * from './a.ts'`, `export * from './a.js'`],
  [`type A = import('./a.ts').A`, `type A = import('./a.js').A`],
  [`import './a.ts'`, `import './a.js'`],
] as const)('%s becomes %s', ([before, after]) => {
  expect(rewriteSpecifiers(before)).toBe(after)
})

test.for([
  `import { A } from './a.js'`,
  `import { A } from 'package.ts'`,
  `declare const file: './a.ts'`,
  `/** Reads \`from\` the file "spec.ts". */`,
])('%s stays as it is', (text) => {
  expect(rewriteSpecifiers(text)).toBe(text)
})
