/** A topic of sample posts: words by language, hashtags, and its time of day. */
export interface Topic {
  /** How often posts are about it, relative to other topics. */
  readonly weight: number;
  /** The local hour at which posts about it peak. */
  readonly hour: number;
  readonly words: Readonly<Record<string, string>>;
  readonly hashtags: string;
}

/** The languages of sample posts. */
export const LANGUAGES: Readonly<
  Record<string, { readonly small: string; readonly plain: string; readonly isSpaced: boolean }>
> = {
  en: {
    small: 'the a to and of in for my is it this that with on so we you just not but at was have be they from our',
    plain:
      'today really morning people love think time good great new best day week friends home work never always night ' +
      'finally tomorrow feel thing year little world nice happy maybe still again long right better place need want',
    isSpaced: true,
  },
  es: {
    small: 'el la de que y en un una los por con para mi es no se lo más pero como muy este hoy ya',
    plain:
      'hoy siempre gente tiempo mañana amigos casa trabajo nunca noche mejor mundo feliz cosas vida nuevo gran semana',
    isSpaced: true,
  },
  pt: {
    small: 'o a de que e em um uma os por com para meu é não se mais mas como muito este hoje já',
    plain:
      'hoje sempre gente tempo manhã amigos casa trabalho nunca noite melhor mundo feliz coisas vida novo grande semana',
    isSpaced: true,
  },
  de: {
    small: 'der die das und ist nicht mit für auf ein eine wir ich von zu im den auch sehr heute',
    plain:
      'heute immer leute zeit morgen freunde haus arbeit niemals nacht besser welt glücklich leben neu große woche endlich',
    isSpaced: true,
  },
  fr: {
    small: 'le la les de et est un une pas avec pour sur dans nous vous que qui très ce mon',
    plain:
      'toujours gens temps matin amis maison travail jamais nuit mieux monde heureux choses vie nouveau grand semaine enfin',
    isSpaced: true,
  },
  tr: {
    small: 've bir bu için ile çok daha ne var ben biz gibi kadar şimdi',
    plain: 'bugün her zaman insanlar sabah arkadaşlar ev iş asla gece daha iyi dünya mutlu hayat yeni büyük hafta',
    isSpaced: true,
  },
  id: {
    small: 'yang dan di ini itu dengan untuk pada ke dari saya kita tidak juga akan',
    plain: 'hari selalu orang waktu pagi teman rumah kerja malam lebih dunia senang hidup baru besar minggu akhirnya',
    isSpaced: true,
  },
  hi: {
    small: 'है के की में और से को यह का पर एक हम भी नहीं',
    plain: 'आज हमेशा लोग समय सुबह दोस्त घर काम रात बेहतर दुनिया खुश जीवन नया सप्ताह',
    isSpaced: true,
  },
  ko: {
    small: '이 그 저 것 수 더 또 그리고 너무 정말',
    plain: '오늘 항상 사람 시간 아침 친구 집 밤 세상 행복 인생 새로운 주말 드디어',
    isSpaced: true,
  },
  ja: {
    small: 'の は が を に で と も です ます',
    plain: '今日 明日 本当 時間 朝 友達 家 仕事 夜 世界 最高 人生 週末 新しい 楽しい',
    isSpaced: false,
  },
  th: {
    small: 'ที่ และ ใน ของ มี ไม่ ได้ ให้ มาก นี้',
    plain: 'วันนี้ เสมอ คน เวลา เช้า เพื่อน บ้าน ทำงาน กลางคืน โลก ชีวิต ใหม่ สัปดาห์',
    isSpaced: false,
  },
};

/** Topics of sample posts. A topic without words in a language uses its English ones. */
export const TOPICS: readonly Topic[] = [
  {
    weight: 9,
    hour: 8,
    words: {
      en: 'coffee espresso latte barista beans roast brew cappuccino mocha decaf caffeine crema arabica grinder mug cafe',
      es: 'café espresso leche barista granos tostado taza cafetería cafeína',
      pt: 'café expresso leite barista grãos torra xícara cafeteria cafeína',
      de: 'kaffee espresso milchschaum barista bohnen röstung tasse röster koffein',
      fr: 'café expresso lait barista grains torréfaction tasse caféine',
      ja: 'コーヒー エスプレッソ ラテ 焙煎 カフェ 豆 カップ',
      th: 'กาแฟ เอสเปรสโซ ลาเต้ คาเฟ่ เมล็ดกาแฟ แก้ว',
      ko: '커피 에스프레소 라떼 카페 원두 바리스타',
      tr: 'kahve espresso süt çekirdek kavurma fincan kafe',
      id: 'kopi espresso susu biji cangkir kafe',
    },
    hashtags: 'coffeetime latteart barista espresso coldbrew',
  },
  {
    weight: 11,
    hour: 20,
    words: {
      en: 'football goal match striker keeper penalty league referee offside derby stadium coach transfer defender midfield',
      es: 'fútbol gol partido delantero portero penalti liga árbitro estadio entrenador',
      pt: 'futebol gol jogo atacante goleiro pênalti campeonato árbitro estádio técnico',
      de: 'fußball tor spiel stürmer torwart elfmeter liga schiedsrichter stadion trainer',
      fr: 'football but match attaquant gardien penalty ligue arbitre stade entraîneur',
      ja: 'サッカー ゴール 試合 選手 監督 リーグ 審判',
      tr: 'futbol gol maç forvet kaleci penaltı lig hakem stadyum',
      id: 'sepakbola gol pertandingan penyerang kiper penalti liga wasit stadion',
    },
    hashtags: 'matchday derby worldcup goaloftheweek football',
  },
  {
    weight: 7,
    hour: 18,
    words: {
      en: 'recipe dinner garlic pasta oven butter onion sauce chicken soup baking flour spice salad dessert vegan',
      es: 'receta cena ajo pasta horno mantequilla cebolla salsa pollo sopa harina ensalada',
      de: 'rezept abendessen knoblauch nudeln ofen butter zwiebel soße huhn suppe mehl salat',
      fr: 'recette dîner ail pâtes four beurre oignon sauce poulet soupe farine salade',
      ja: 'レシピ 夕食 料理 カレー ラーメン 味噌 野菜 美味しい',
      th: 'สูตรอาหาร อาหารเย็น กระเทียม ต้มยำ ผัดไทย ซุป อร่อย',
      hi: 'खाना रोटी दाल मसाला चावल सब्जी स्वाद',
    },
    hashtags: 'homecooking foodie dinnertime veganrecipes baking',
  },
  {
    weight: 7,
    hour: 21,
    words: {
      en: 'movie cinema actor director trailer sequel premiere scene script oscar thriller comedy documentary screenplay',
      es: 'película cine actor directora tráiler estreno escena guion comedia',
      pt: 'filme cinema ator diretora trailer estreia cena roteiro comédia',
      fr: 'film cinéma acteur réalisatrice scène scénario comédie',
      ja: '映画 監督 俳優 予告 公開 上映',
      ko: '영화 감독 배우 예고편 개봉 극장',
    },
    hashtags: 'movienight nowwatching cinema oscars',
  },
  {
    weight: 8,
    hour: 22,
    words: {
      en: 'album song concert band guitar drummer vinyl lyrics tour festival singer chorus melody playlist bass',
      es: 'álbum canción concierto banda guitarra letra gira cantante',
      pt: 'álbum música show banda guitarra letra turnê cantora',
      ja: 'アルバム 曲 ライブ バンド ギター 歌詞 歌手',
      ko: '앨범 노래 콘서트 밴드 기타 가사 가수',
    },
    hashtags: 'nowplaying newmusic livemusic vinyl concert',
  },
  {
    weight: 6,
    hour: 11,
    words: {
      en: 'software code bug deploy database server compiler typescript python release kubernetes backend frontend latency api',
      de: 'software programm fehler datenbank server entwickler veröffentlichung schnittstelle',
      ja: 'プログラミング 開発 サーバー データベース エンジニア バグ',
    },
    hashtags: 'devlife opensource coding javascript linux',
  },
  {
    weight: 6,
    hour: 7,
    words: {
      en: 'running marathon training pace workout gym squat protein stretching recovery cardio muscles treadmill jogging',
      es: 'correr maratón entrenamiento ritmo gimnasio proteína estiramiento cardio',
      de: 'laufen marathon training tempo fitness protein dehnen ausdauer',
      fr: 'course marathon entraînement rythme muscu protéines étirement cardio',
    },
    hashtags: 'runnersworld fitness marathontraining gymlife',
  },
  {
    weight: 6,
    hour: 12,
    words: {
      en: 'flight hotel beach passport airport luggage island sunset hiking backpack itinerary hostel roadtrip museum',
      es: 'vuelo hotel playa pasaporte aeropuerto maleta isla atardecer senderismo museo',
      de: 'flug hotel strand reisepass flughafen koffer insel sonnenuntergang wandern museum',
      ja: '旅行 飛行機 ホテル 海 温泉 空港 観光',
      th: 'เที่ยว โรงแรม ทะเล สนามบิน เกาะ พระอาทิตย์ตก',
    },
    hashtags: 'travel wanderlust roadtrip vacation beachlife',
  },
  {
    weight: 5,
    hour: 10,
    words: {
      en: 'election vote parliament senator campaign policy ballot candidate debate minister democracy poll coalition',
      es: 'elección voto parlamento senador campaña política candidata debate ministro',
      pt: 'eleição voto congresso senador campanha política candidata debate ministro',
      fr: 'élection vote parlement sénateur campagne politique candidate débat ministre',
      hi: 'चुनाव वोट संसद नेता पार्टी सरकार मंत्री',
    },
    hashtags: 'election2026 vote debate politics',
  },
  {
    weight: 5,
    hour: 9,
    words: {
      en: 'stocks market inflation shares investor earnings dividend bonds crypto bitcoin portfolio interest economy',
      de: 'aktien börse inflation anleger gewinn dividende anleihen zinsen wirtschaft',
      ja: '株 市場 投資 金利 経済 円安',
    },
    hashtags: 'stockmarket investing bitcoin economy',
  },
  {
    weight: 5,
    hour: 16,
    words: {
      en: 'puppy dog cat kitten vet leash paws rescue adoption fur tail treats walkies shelter',
      es: 'perro gato cachorro veterinario patas adopción refugio',
      ja: '犬 猫 子犬 散歩 可愛い 動物',
      pt: 'cachorro gato filhote veterinário patas adoção abrigo',
    },
    hashtags: 'dogsoftheweek caturday adoptdontshop puppylove',
  },
  {
    weight: 6,
    hour: 23,
    words: {
      en: 'gaming console controller quest multiplayer boss level streamer esports patch lobby speedrun headset loot',
      ja: 'ゲーム 攻略 ボス レベル 配信 対戦',
      ko: '게임 보스 레벨 방송 대회 패치',
    },
    hashtags: 'gaming esports livestream speedrun',
  },
  {
    weight: 4,
    hour: 17,
    words: {
      en: 'garden tomatoes seeds soil roses compost pruning greenhouse blossoms watering weeds herbs',
      de: 'garten tomaten samen erde rosen kompost gewächshaus blüten kräuter',
      fr: 'jardin tomates graines terre roses compost serre fleurs herbes',
    },
    hashtags: 'gardening growyourown plants spring',
  },
  {
    weight: 4,
    hour: 15,
    words: {
      en: 'weather rain storm sunshine forecast thunder wind snow heatwave flood umbrella clouds temperature',
      es: 'tiempo lluvia tormenta sol pronóstico viento nieve nubes temperatura',
      de: 'wetter regen sturm sonne vorhersage wind schnee wolken temperatur',
      ja: '天気 雨 台風 晴れ 雪 気温',
      th: 'อากาศ ฝน พายุ แดด ร้อน',
      id: 'cuaca hujan badai matahari angin awan',
    },
    hashtags: 'weather storm heatwave rainyday',
  },
  {
    weight: 4,
    hour: 13,
    words: {
      en: 'science telescope galaxy planet rocket nasa orbit quantum physics experiment microscope astronomy laboratory',
      fr: 'science télescope galaxie planète fusée orbite physique expérience astronomie',
    },
    hashtags: 'science space astronomy physics',
  },
  {
    weight: 5,
    hour: 14,
    words: {
      en: 'dress sneakers outfit makeup fashion runway lipstick jacket handbag jewelry style designer boutique',
      fr: 'robe baskets tenue maquillage mode défilé veste sac bijoux style créateur',
      ko: '패션 화장 신발 옷 가방 스타일',
    },
    hashtags: 'ootd fashionweek makeup streetstyle',
  },
];
