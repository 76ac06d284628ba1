import { readFileSync, writeFileSync } from 'node:fs'
import type { Report } from '../report.ts'
import { scalePicture } from './scale-picture.ts'

// `npm run bench:picture -- out.json picture.svg` draws what `npm run bench -- --only scale --json out.json` measured.
const [from, to] = process.argv.slice(2)
if (from === undefined || to === undefined) {
  throw new Error('usage: npm run bench:picture -- out.json picture.svg')
}
const report: Report = JSON.parse(readFileSync(from, 'utf8'))
writeFileSync(to, scalePicture(report.results))
