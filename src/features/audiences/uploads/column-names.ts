import type { ColumnKind } from './people-columns.ts';

/**
 * Names of columns in exports, in lower case without spaces, punctuation and accents: English, German, French, Spanish,
 * Portuguese, Italian, Dutch, Polish, Turkish, Japanese, Chinese and Russian.
 */
const NAMES: Readonly<Record<ColumnKind, string>> = {
  email: `email emails mail mails emailaddress emailaddresses mailaddress emailadresse mailadresse
    courriel mel adresseemail adressemail adressecourriel adressedecourriel adresseelectronique
    correo correoelectronico direcciondecorreo direcciondecorreoelectronico direccionemail
    correioeletronico enderecodeemail enderecoeletronico
    postaelettronica indirizzoemail indirizzomail indirizzodiposta indirizzodipostaelettronica
    emailadres mailadres adresemail adresmailowy poczta pocztaelektroniczna eposta epostaadresi mailadresi
    メール eメール 電子メール メールアドレス 電子メールアドレス eメールアドレス
    邮箱 邮件 邮箱地址 电子邮箱 电子邮件 电子邮件地址 电邮 郵箱 電郵 電子郵件 電子郵箱 電子信箱
    почта емейл имейл элпочта электроннаяпочта адресэлектроннойпочты`,
  phone_number: `phone phones phonenumber phonenumbers phoneno mobile mobilenumber mobilephone mobilephonenumber mobileno
    cell cellphone cellnumber telephone telephonenumber tel
    telefon telefonnummer telefonnr telnr rufnummer handy handynummer handynr mobil mobilnummer mobilnr mobiltelefon
    numerodetelephone notelephone notel portable telephoneportable telephonemobile numerodeportable telportable
    telefono numerodetelefono movil telefonomovil celular telefonocelular numerodecelular
    telefone numerodetelefone telemovel telefonecelular
    numeroditelefono cellulare numerodicellulare telefonocellulare
    telefoon telefoonnummer telefoonnr mobiel mobielnummer mobielenummer mobieletelefoon gsm gsmnummer
    telefonu numertelefonu nrtelefonu komorka telefonkomorkowy numerkomorkowy
    telefonnumarasi telefonno ceptelefonu ceptelefonunumarasi cep ceptel cepno gsmno
    電話 電話番号 携帯 携帯電話 携帯番号 携帯電話番号
    电话 电话号码 联系电话 手机 手机号 手机号码 移动电话 電話號碼 聯絡電話 手機 手機號 手機號碼 行動電話
    телефон номертелефона мобильный мобильныйтелефон номермобильного сотовый сотовыйтелефон`,
  handle: `handle username screenname benutzername nutzername nomdutilisateur pseudo nombredeusuario usuario
    nomedeusuario nomedeutilizador nomeutente gebruikersnaam nazwauzytkownika kullaniciadi
    ユーザー名 ユーザ名 用户名 用戶名 имяпользователя логин`,
  service_user_id: `serviceuserid userid benutzerid nutzerid idutilisateur identifiantutilisateur idusuario iddeusuario
    iddousuario idutilizador idutente gebruikersid gebruikerid iduzytkownika kullaniciid
    ユーザーid ユーザid 用户id 用戶id idпользователя`,
  device_id: `deviceid advertisingid idfa gaid aaid androidid adid gerateid geraeteid werbeid
    idappareil identifiantappareil identifiantpublicitaire iddispositivo iddedispositivo iddispositivomovil iddodispositivo
    apparaatid idurzadzenia cihazid cihazkimligi 端末id デバイスid 広告id 设备id 設備id 裝置id 广告id idустройства рекламныйid`,
  partner_user_id: `partneruserid externalid customerid customernumber customerno crmid clientid
    kundennummer kundennr kundenid numeroclient noclient idclient codeclient identifiantclient
    numerodecliente numerocliente idcliente iddecliente codigocliente codigodecliente iddocliente codigodocliente
    codicecliente klantnummer klantid klantnr idklienta numerklienta nrklienta musterino musterinumarasi musteriid
    顧客id 顧客番号 会員id 会員番号 客户id 客户编号 客戶編號 客戶id 会员号 会员id idклиента номерклиента кодклиента`,
  country: `country countrycode countryiso land landcode landercode landerkurzel staat pays codepays pais codigopais
    codigodepais codigodopais paese nazione codicepaese kraj kodkraju ulke ulkekodu
    国 国名 国コード 国家 国家代码 國家 國家代碼 страна кодстраны`,
  effective_at: 'effectiveat',
  expires_at: 'expiresat',
};

const HASHED = /(sha256|hashed|hash)$/;

const kinds: ReadonlyMap<string, ColumnKind> = new Map(
  Object.entries(NAMES).flatMap(([kind, names]) =>
    names.split(/\s+/).map((name) => [lettersOf(name), kind as ColumnKind]),
  ),
);

/** Returns the kind of a column by its name, and whether its name says that it is hashed; undefined for unknown names. */
export function kindOfName(name: string): { readonly kind: ColumnKind; readonly isHashed: boolean } | undefined {
  const letters = lettersOf(name);
  const bare = letters.replace(HASHED, '');
  // Several columns of a kind are numbered.
  const kind = kinds.get(bare) ?? kinds.get(bare.replace(/\d+$/, ''));
  return kind && { kind, isHashed: HASHED.test(letters) };
}

function lettersOf(name: string): string {
  return name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replaceAll('ı', 'i')
    .replaceAll('ł', 'l');
}
