import { type Problem, type ProblemName, problem } from '../../../contract/problems/problems.ts';

/** A credential that is refused; the reason is for the log. */
export function credentialProblem(name: ProblemName, because: string): Problem {
  return problem(name, {}, because);
}
