import fc from 'fast-check';

/** What is drawn at random is the same in every run, unless the command says otherwise: `LAW_SEED=7 npm test`. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.LAW_SEED ?? 20_260_302) });

export { fc };
